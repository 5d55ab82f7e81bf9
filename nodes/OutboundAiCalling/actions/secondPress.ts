import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../hints';
import { isManualExecution } from '../rules/manualExecutions';
import type { Rules } from '../rules/rules';
import type { AskedCall } from './call/askedCall';

interface Judged extends AskedCall {
  rules: Rules;
  /** Its row in the call log, which says in a hint of its own who was called before. */
  row?: unknown;
  /** It failed, and surely nobody was called. */
  hasFailed?: boolean;
}

/** Says in the editor what executing the node again does. */
function tell(context: IExecuteFunctions, consequence: string): void {
  if (!isManualExecution(context)) return;
  tellHint(context, `Executing this node again ${consequence}`, 'info');
}

/** Says that the next execution calls the same people, where a node has neither rules nor a log. */
export function tellCallsAgain(context: IExecuteFunctions, calls: Judged[]): void {
  const called = calls.filter(
    ({ isDryRun, isTestCall, hasFailed, rules, row }) =>
      !isDryRun && !isTestCall && !hasFailed && rules.areNone && row === undefined,
  );
  if (called.length === 0) return;
  const whom = called.length === 1 ? 'this person' : `these ${called.length} people`;
  tell(context, `calls ${whom} again: add "Prevent Duplicates"`);
}

/**
 * Says that the next execution creates another campaign.
 *
 * @param contacts how many contacts the started campaigns of this execution have
 */
export function tellCampaignAgain(context: IExecuteFunctions, contacts: number): void {
  if (contacts === 0) return;
  const whom = contacts === 1 ? 'this person' : `these ${contacts} people`;
  tell(context, `creates another campaign, which calls ${whom} again`);
}
