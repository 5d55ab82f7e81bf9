import type { Body } from './reply';
import type { Switches } from './switches';

/** How an endpoint writes two-word fields according to its own documentation. */
type Documented = 'snake' | 'camel';

/** Writes the fields on which the interface contradicts itself, as the switches say at the time. */
export class Wording {
  constructor(private readonly switches: Switches) {}

  orderId(id: number, documented: Documented): Body {
    const { orderIdField, ids } = this.switches;
    const form = orderIdField === 'documented' ? documented : orderIdField;
    return { [form === 'snake' ? 'order_id' : 'orderId']: ids === 'string' ? String(id) : id };
  }

  callStatus(status: string, documented: Documented): Body {
    const { callStatusField } = this.switches;
    const form = callStatusField === 'documented' ? documented : callStatusField;
    return { [form === 'snake' ? 'call_status' : 'callStatus']: status };
  }

  campaignId(id: number): Body {
    return { campaign_id: this.switches.campaignIds === 'string' ? String(id) : id };
  }

  campaignName(name: string): Body {
    return { [this.switches.nameField]: name };
  }

  campaignState(state: string): Body {
    return { [this.switches.stateField]: state };
  }

  label(label: string): string {
    const { labels } = this.switches;
    if (labels === 'documented') return label;
    return labels === 'lower' ? label.toLowerCase() : label.toUpperCase();
  }

  /** @param atSec seconds from the start of the call */
  timestamp(atSec: number): number {
    return this.switches.transcriptTime === 'ms' ? Math.round(atSec * 1000) : atSec;
  }
}
