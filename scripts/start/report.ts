import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { CallResult, Followed } from './following';

/** What the other columns and the borders take, so that a row fits into the terminal. */
const OTHER_COLUMNS = 76;
const SUMMARY_WIDTH = { least: 24, most: 60 };

/** One line for an order that has just had its last call. */
export function resultLine(result: CallResult, position: string): string {
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
    'No outcome was received for',
    ...missing.map(({ order, attempts }) => {
      const told = attempts.at(-1)?.outcome ?? 'nothing';
      return `  ${order.orderNumber}: the call log says ${told}`;
    }),
    ...(lastError === undefined ? [] : [`The workflow that waits for outcomes: ${lastError}`]),
  ].join('\n');
}

function plain(cell: string | number): string {
  return stripVTControlCharacters(String(cell));
}

function summaryWidth(): number {
  const room = (process.stdout.columns ?? 120) - OTHER_COLUMNS;
  return Math.min(SUMMARY_WIDTH.most, Math.max(SUMMARY_WIDTH.least, room));
}

/** How many attempts it took, such as `14 attempts: 2 orders were called again`. */
export function attemptsLine(results: CallResult[]): string {
  const attempts = results.reduce((sum, result) => sum + result.attempts.length, 0);
  const again = results.filter((result) => result.attempts.length > 1).length;
  const orders = again === 1 ? '1 order was' : `${again} orders were`;
  return `${attempts} attempts: ${orders} called again`;
}

/** What it all came to, such as `12 calls placed, 12 outcomes received`. */
export function totals(results: CallResult[]): string {
  const placed = results.filter((result) => result.placed).length;
  const received = results.filter((result) => result.received).length;
  return `${placed} calls placed, ${received} outcomes received`;
}
