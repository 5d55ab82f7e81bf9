import type { IDataObject } from 'n8n-workflow';
import { numberOf, phoneOf, type Deed, type Orders } from './history';

/** How the story names a process. */
export const nameOf = (process: number): string => `n8n ${process + 1}`;

function ordersInWords({ from, to }: Orders): string {
  return from === to ? numberOf(from) : `${numberOf(from)} to ${numberOf(to)}`;
}

/** How the story names what an execution does. */
export function wordsOf(deed: Deed): string {
  switch (deed.do) {
    case 'schedule':
      return `Schedule Call of ${ordersInWords(deed.orders)}`;
    case 'call':
      return `Call Customer of ${ordersInWords(deed.orders)}`;
    case 'callAndWait':
      return `Call Customer and Wait of ${ordersInWords(deed.orders)}`;
    case 'try':
      return `${deed.how} of ${deed.what} of ${ordersInWords(deed.orders)}`;
    case 'place':
      return 'Place Scheduled Calls';
    case 'prune':
      return `Prune Call Log of ${phoneOf(deed.order)}`;
    case 'cancel':
      return `Cancel Scheduled Calls of ${deed.by === 'phone' ? phoneOf(deed.order) : numberOf(deed.order)}`;
    default:
      return deed.do;
  }
}

/** How the story names what an execution gives: the first items. */
export function itemsInWords(items: IDataObject[]): string {
  const shown = items.slice(0, 3).map((item) => JSON.stringify(item));
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  return shown.length === 0 ? 'no item' : shown.join(', ') + more;
}
