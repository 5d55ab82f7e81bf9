import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { CallResult } from './calls';

/** What the other columns and the borders take, so that a row fits into the terminal. */
const OTHER_COLUMNS = 66;
const SUMMARY_WIDTH = { least: 24, most: 60 };

/** One line for a call that has just come back. */
export function resultLine(result: CallResult, position: string): string {
  const next = result.decision === '' ? '' : ` -> ${result.decision}`;
  return `${position}  ${result.order.orderNumber}  ${result.outcome}${next}`;
}

/** All calls, one row each. */
export function resultTable(results: CallResult[]): string {
  const table = new Table({
    head: ['Order', 'Phone', 'Outcome', 'Seconds', 'Cost', 'Summary'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'left', 'right', 'right', 'left'],
    colWidths: [null, null, null, null, null, summaryWidth()],
    wordWrap: true,
  });
  for (const { order, outcome, seconds, cost, summary } of results) {
    const cells = [order.orderNumber, order.phone, outcome, seconds ?? '', cost ?? '', summary];
    table.push(cells.map((cell) => stripVTControlCharacters(String(cell))));
  }
  return table.toString();
}

function summaryWidth(): number {
  const room = (process.stdout.columns ?? 120) - OTHER_COLUMNS;
  return Math.min(SUMMARY_WIDTH.most, Math.max(SUMMARY_WIDTH.least, room));
}

/** What it all came to, such as `12 calls placed, 12 outcomes received`. */
export function totals(results: CallResult[]): string {
  const placed = results.filter((result) => result.placed).length;
  const received = results.filter((result) => result.finished).length;
  return `${placed} calls placed, ${received} outcomes received`;
}
