import { alike, folded, inUsualSigns, visible } from '../alike';
import { withoutMarks } from './writtenNumber';

/**
 * An order number without what may be added to it: a `#` before it, marks around it, zeros before its digits and `.0`
 * behind them. Shops name one order `#1001` in one place and `1001` in another, mails and agents `Order #1001`, and
 * spreadsheets `'1001`, `="1001"` and `1001.0`; they lose the zeros of `000001001`. `1.000` may be a thousand.
 */
export function plainOrderNumber(orderNumber: string): string {
  const seen = visible(orderNumber);
  return alike(inUsualSigns((withoutMarks(seen) || seen).replaceAll('№', '#')))
    .replace(/^(?:order(?: (?:number|no\.?|id))?(?:: ?| |(?=#)))?(?:# ?)?(?=.)/i, '')
    .replace(/^0*(\d+?)(?:\.00?)?$/, '$1');
}

/** An order number for comparing: a {@link plainOrderNumber} in which capitals and full-width letters make no difference. */
export function bareOrderNumber(orderNumber = ''): string {
  return folded(plainOrderNumber(orderNumber));
}
