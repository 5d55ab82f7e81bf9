import type { CallTally, OutcomeCount } from '../../callLog/callTally';
import { dayChart, dayInWords } from './dayChart';
import { html, type Markup } from './markup';
import type { ReportGroup, Report } from './report';

/** More rows make no table that somebody reads. */
const MOST_DAYS = 500;
const MOST_OUTCOMES = 30;
const LONGEST_LABEL = 120;

const STYLE = `
:root { color-scheme: light dark; --page: #f6f8fa; --card: #ffffff; --text: #1c2128; --quiet: #57606a; --line: #d0d7de; --hit: #1a5fb4; --call: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --quiet: #9da7b3; --line: #30363d; --hit: #58a6ff; --call: #6e7681; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 16px 12px 32px; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 860px; margin: 0 auto; }
h1 { font-size: 22px; line-height: 1.2; margin: 4px 0; }
h2 { font-size: 16px; margin: 0 0 8px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: 13px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin: 12px 0; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 8px; margin: 12px 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
dt { color: var(--quiet); font-size: 13px; }
dd { margin: 0; font-size: 22px; font-weight: 600; overflow-wrap: anywhere; }
dd small { font-size: 13px; font-weight: 400; color: var(--quiet); }
svg { display: block; }
svg text { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); stroke-dasharray: 3 3; }
.axis { stroke: var(--quiet); }
.call { fill: var(--call); }
.hit { fill: var(--hit); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 4px; border-top: 1px solid var(--line); text-align: right; font-weight: 400; vertical-align: top; }
thead th { border-top: 0; color: var(--quiet); font-size: 12px; vertical-align: bottom; }
th:first-child { text-align: left; overflow-wrap: anywhere; min-width: 84px; }
tfoot th, tfoot td { font-weight: 600; }
td.bar { width: 32%; min-width: 60px; padding-top: 9px; }
summary { cursor: pointer; padding: 6px 0; color: var(--quiet); }
@media (max-width: 420px) { table { font-size: 13px; } th, td { padding: 5px 3px; } }
`;

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const exact = new Intl.NumberFormat('en', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

const money = (value: number | null) => (value === null ? '–' : exact.format(value));
const shorten = (text: string) =>
  text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL)}…` : text;
const share = (part: number, all: number) =>
  all === 0 ? '–' : `${numbers.format(Math.round((part / all) * 1000) / 10)} %`;
const counted = (count: number, one: string, more: string) =>
  `${numbers.format(count)} ${count === 1 ? one : more}`;

function tile(name: string, value: string, more = ''): Markup {
  const small = more === '' ? '' : html` <small>${more}</small>`;
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}${small}</dd>
  </div>`;
}

/** A bar beside a number that says the same, so only eyes need it. */
function bar(part: number, all: number, kind: string): Markup {
  const width = all === 0 ? 0 : (part / all) * 100;
  return html`<svg width="100%" height="12" aria-hidden="true">
    <rect class="${kind}" width="${Number(width.toFixed(2))}%" height="12" rx="2" />
  </svg>`;
}

function table(
  heading: string,
  head: string[],
  rows: Markup[],
  foot: Markup | string = '',
): Markup {
  const cells = head.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="scroll" role="region" aria-label="${heading}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${cells}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
      ${foot}
    </table>
  </div>`;
}

const HEAD = ['Calls', 'Reached', 'Minutes', 'Cost', 'Per reached'];

function countsOf({ calls, reached, minutes, cost, costPerReached }: Report['totals']): Markup[] {
  return [
    numbers.format(calls),
    numbers.format(reached),
    numbers.format(minutes),
    money(cost),
    money(costPerReached),
  ].map((text) => html`<td>${text}</td>`);
}

/** All numbers of the groups, as they are asked for. */
function groupTable(report: Report, groups: ReportGroup[], first: string, most: number): Markup {
  const rows = groups.slice(0, most).map(
    (group) =>
      html`<tr>
        <th scope="row"><bdi>${shorten(group.label)}</bdi></th>
        ${countsOf(group)}
      </tr>`,
  );
  const foot = html`<tfoot>
    <tr>
      <th scope="row">All</th>
      ${countsOf(report.totals)}
    </tr>
  </tfoot>`;
  const left = groups.length - rows.length;
  const more = left > 0 ? html`<p class="quiet">… and ${numbers.format(left)} more</p>` : '';
  return html`${table(`Numbers by ${first.toLowerCase()}`, [first, ...HEAD], rows, foot)}${more}`;
}

function outcomesCard(tally: CallTally): Markup {
  const all: Array<[string, OutcomeCount]> = [...tally.outcomes].sort(
    ([, a], [, b]) => b.calls - a.calls || a.label.localeCompare(b.label),
  );
  const shown = all.slice(0, MOST_OUTCOMES);
  const most = shown[0]?.[1].calls ?? 0;
  const rows = shown.map(
    ([, { label, calls, reached }]) =>
      html`<tr>
        <th scope="row"><bdi>${shorten(label)}</bdi></th>
        <td class="bar">${bar(calls, most, reached > 0 ? 'hit' : 'call')}</td>
        <td>${numbers.format(calls)}</td>
        <td>${share(calls, tally.calls)}</td>
      </tr>`,
  );
  const others = all.slice(MOST_OUTCOMES).reduce((sum, [, { calls }]) => sum + calls, 0);
  const more =
    others > 0
      ? html`<p class="quiet">
          ${counted(all.length - MOST_OUTCOMES, 'other outcome', 'other outcomes')} with
          ${counted(others, 'call', 'calls')}
        </p>`
      : '';
  return html`<section class="card">
    <h2>Outcomes</h2>
    ${table('Outcomes', ['Outcome', '', 'Calls', 'Share'], rows)}${more}
  </section>`;
}

/** What the numbers leave open, in sentences. */
function notes({ open, givenUp, maybePlaced, unpriced }: CallTally): string {
  return [
    open > 0 && `${counted(open, 'call has', 'calls have')} not ended yet.`,
    givenUp > 0 && `The outcome of ${counted(givenUp, 'call', 'calls')} never came.`,
    maybePlaced > 0 &&
      `${counted(maybePlaced, 'more call', 'more calls')} may have been placed: nobody knows, so ${maybePlaced === 1 ? 'it is' : 'they are'} not counted.`,
    unpriced > 0 && `The cost of ${counted(unpriced, 'ended call', 'ended calls')} is not known.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

/** What the page says beside the numbers of the report. */
export interface PageDetails {
  /** The name of the data table. */
  table: string;
  /** The first and the last day of the period, as `YYYY-MM-DD`. */
  first: string;
  last: string;
  /** Keys of outcomes with which nobody was spoken to. */
  notReached: ReadonlySet<string>;
  tally: CallTally;
  days: ReadonlyMap<string, CallTally>;
}

function charts(report: Report, details: PageDetails): Markup {
  const { tally, days, first, last } = details;
  const { heading, chart } = dayChart(days, { first, last });
  const byDay =
    report.groupBy === 'day'
      ? html`<details>
          <summary>Numbers by day</summary>
          ${groupTable(report, report.groups, 'Day', MOST_DAYS)}
        </details>`
      : '';
  const byScript =
    report.groupBy === 'day'
      ? ''
      : html`<section class="card">
          <h2>Numbers by ${report.groupBy}</h2>
          ${groupTable(report, report.groups, report.groupBy === 'script' ? 'Script' : 'Outcome', MOST_OUTCOMES)}
        </section>`;
  return html`<section class="card">
      <h2>${heading}</h2>
      ${chart}
      <p class="legend quiet" aria-hidden="true">
        <span
          ><svg width="12" height="12"><rect class="hit" width="12" height="12" rx="2" /></svg
          >reached</span
        ><span
          ><svg width="12" height="12"><rect class="call" width="12" height="12" rx="2" /></svg>not
          reached</span
        >
      </p>
      ${byDay}
    </section>
    ${outcomesCard(tally)}${byScript}`;
}

/**
 * The report as one HTML page that stands alone: no script, nothing from elsewhere, styles and charts
 * within. Everything that came from customers or the service is escaped.
 */
export function reportPage(report: Report, details: PageDetails): string {
  const { totals, timezone } = report;
  const { first, last, tally } = details;
  const period = first === last ? dayInWords(first) : `${dayInWords(first)} to ${dayInWords(last)}`;
  const excluded = [...details.notReached].sort().join(', ');
  const meaning =
    excluded === ''
      ? 'Reached: the call was completed and has an outcome.'
      : `Reached: the call was completed with an outcome other than ${excluded}.`;
  const note = notes(tally);
  const body =
    totals.calls === 0
      ? html`<p class="card">There are no calls in this period.</p>`
      : charts(report, details);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'"
        />
        <title>Calls, ${period}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>Calls</h1>
          <p>${period}</p>
          <p class="quiet">Call log <bdi>${shorten(details.table)}</bdi>, time zone ${timezone}</p>
          <dl>
            ${[
              tile('Calls', numbers.format(totals.calls)),
              tile('Reached', numbers.format(totals.reached), share(totals.reached, totals.calls)),
              tile('Minutes', numbers.format(totals.minutes)),
              tile('Cost', money(totals.cost)),
              tile('Cost for each reached', money(totals.costPerReached)),
            ]}
          </dl>
          ${note === '' ? '' : html`<p>${note}</p>`} ${body}
          <p class="quiet">
            ${meaning} A call belongs to the day on which it was placed. Cost is in the currency of
            the account.
          </p>
        </main>
      </body>
    </html> `;
  return page.text;
}
