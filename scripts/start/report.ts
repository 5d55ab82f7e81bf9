import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { CallResult, Followed } from './following';

/** What the other columns and the borders take, so that a row fits into the terminal. */
const OTHER_COLUMNS = 76;
const SUMMARY_WIDTH = { least: 24, most: 60 };

/**
 * One line for an order that has just had its last call.
 *
 * @param ended how many orders have had theirs, with this one
 */
export function resultLine(result: CallResult, ended: number, orders: number): string {
  const position = `${String(ended).padStart(4)}/${orders}`;
  const next = result.decision === '' ? '' : ` -> ${result.decision}`;
  const what = result.reason || result.attempts.map(({ outcome }) => outcome).join(', then ');
  return `${position}  ${result.order.orderNumber}  ${what}${next}`;
}

/** All calls, one row for each attempt. */
export function resultTable(results: CallResult[]): string {
  const table = new Table({
    head: ['Order', 'Phone', 'Attempt', 'Outcome', 'Seconds', 'Cost', 'Summary'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'right', 'left', 'right', 'right', 'left'],
    colWidths: [null, null, null, null, null, null, summaryWidth()],
    wordWrap: true,
  });
  for (const { order, phone, attempts, reason } of results) {
    const first = [order.orderNumber, phone];
    if (attempts.length === 0) table.push([...first, '', 'not_placed', '', '', reason].map(plain));
    for (const { number, outcome, seconds = '', cost = '', summary } of attempts) {
      table.push([...first, number, outcome, seconds, cost, summary].map(plain));
    }
  }
  return table.toString();
}

/**
 * What was waited for in vain.
 *
 * @returns undefined when nothing was
 */
export function missingReport({ results, lastError }: Followed): string | undefined {
  const missing = results.filter(({ reason, received }) => reason === '' && !received);
  if (missing.length === 0) return undefined;
  return [
    'No outcome was received for these orders:',
    ...missing.map(({ order, attempts }) => {
      const told = attempts.at(-1)?.outcome ?? 'nothing';
      return `  ${order.orderNumber}: its row in the call log says ${told}`;
    }),
    ...(lastError === undefined
      ? []
      : [`The workflow that receives outcomes failed: ${lastError}`]),
  ].join('\n');
}

function plain(cell: string | number): string {
  return stripVTControlCharacters(String(cell));
}

function summaryWidth(): number {
  const room = (process.stdout.columns ?? 120) - OTHER_COLUMNS;
  return Math.min(SUMMARY_WIDTH.most, Math.max(SUMMARY_WIDTH.least, room));
}

/** How many calls it took, such as `14 calls placed for 12 orders, 2 of which were called again`. */
export function callsLine(results: CallResult[]): string {
  const placed = results.map(({ attempts }) => attempts.filter((attempt) => attempt.placed).length);
  const calls = placed.reduce((sum, count) => sum + count, 0);
  const orders = placed.filter((count) => count > 0).length;
  const again = placed.filter((count) => count > 1).length;
  const line = `${counted(calls, 'call')} placed for ${counted(orders, 'order')}`;
  if (again === 0) return line;
  return `${line}, ${again} of which ${again === 1 ? 'was' : 'were'} called again`;
}

/** What it all came to, such as `12 of 12 orders have their outcome`. */
export function outcomesLine(results: CallResult[]): string {
  const received = results.filter((result) => result.received).length;
  return `${received} of ${counted(results.length, 'order')} ${received === 1 ? 'has its' : 'have their'} outcome`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
