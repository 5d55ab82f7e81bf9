import { alike, folded, inUsualSigns, visible } from '../alike';
import { withoutMarks } from './writtenNumber';

/**
 * An order number for comparing: what looks alike is alike. Nor do capitals, full-width letters, a `#` before it,
 * marks around it, zeros before its digits and `.0` behind them make a difference. Shops name one order `#1001` in one
 * place and `1001` in another, mails and agents `Order #1001`, and spreadsheets `'1001`, `="1001"` and `1001.0`; they
 * lose the zeros of `000001001`. `1.000` may be a thousand.
 */
export function bareOrderNumber(orderNumber = ''): string {
  const seen = visible(orderNumber);
  const bare = alike(inUsualSigns((withoutMarks(seen) || seen).replaceAll('№', '#')))
    .replace(/^order(?: (?:number|no\.?|id))?(?:: ?| )(?=.)/i, '')
    .replace(/^# ?(?=.)/, '')
    .replace(/^0*(\d+?)(?:\.00?)?$/, '$1');
  return folded(bare);
}
