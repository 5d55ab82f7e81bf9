import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { CallResult, Followed } from './following';

/** What the other columns and the borders take, so that a row fits into the terminal. */
const OTHER_COLUMNS = 66;
const SUMMARY_WIDTH = { least: 24, most: 60 };

/** One line for a call that has just ended. */
export function resultLine(result: CallResult, position: string): string {
  const next = result.decision === '' ? '' : ` -> ${result.decision}`;
  const why = result.placed ? '' : `: ${result.summary}`;
  return `${position}  ${result.order.orderNumber}  ${result.outcome}${why}${next}`;
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
  for (const { order, phone, outcome, seconds, cost, summary } of results) {
    const cells = [order.orderNumber, phone, outcome, seconds ?? '', cost ?? '', summary];
    table.push(cells.map((cell) => stripVTControlCharacters(String(cell))));
  }
  return table.toString();
}

/**
 * What was waited for in vain.
 *
 * @returns undefined when nothing was
 */
export function missingReport({ results, lastError }: Followed): string | undefined {
  const missing = results.filter(({ placed, received }) => placed && !received);
  if (missing.length === 0) return undefined;
  return [
    'No outcome was received for',
    ...missing.map(({ order, outcome }) => `  ${order.orderNumber}: the call log says ${outcome}`),
    ...(lastError === undefined ? [] : [`The workflow that waits for outcomes: ${lastError}`]),
  ].join('\n');
}

function summaryWidth(): number {
  const room = (process.stdout.columns ?? 120) - OTHER_COLUMNS;
  return Math.min(SUMMARY_WIDTH.most, Math.max(SUMMARY_WIDTH.least, room));
}

/** What it all came to, such as `12 calls placed, 12 outcomes received`. */
export function totals(results: CallResult[]): string {
  const placed = results.filter((result) => result.placed).length;
  const received = results.filter((result) => result.received).length;
  return `${placed} calls placed, ${received} outcomes received`;
}
