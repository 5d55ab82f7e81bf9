import type { CallTallies, CallTally } from '../../callLog/reading/callTally';
import { shortened } from '../../values';
import { dayChart, dayInWords } from './dayChart';
import { markup, Markup } from './markup';
import {
  groupsOf,
  MINUTE_DIGITS,
  MONEY_DIGITS,
  type Report,
  type ReportCounts,
  type ReportGroup,
} from './report';

/** Nobody reads a table with more rows than these. */
const MOST_DAYS = 500;
const MOST_OUTCOMES = 30;
const LONGEST_LABEL = 120;

const STYLE = `
:root { color-scheme: light dark; --page: #f6f8fa; --card: #ffffff; --text: #1c2128; --quiet: #57606a; --line: #d0d7de; --hit: #1a5fb4; --call: #868f99; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --quiet: #9da7b3; --line: #30363d; --hit: #58a6ff; --call: #6e7681; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 16px 12px 32px; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 860px; margin: 0 auto; }
h1 { font-size: 22px; line-height: 1.2; margin: 4px 0; }
h2 { font-size: 16px; margin: 0 0 8px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: 13px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin: 12px 0; }
dl { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0; }
dl div { flex: 1 1 130px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
dt { color: var(--quiet); font-size: 13px; }
dd { margin: 0; font-size: 20px; font-weight: 600; overflow-wrap: anywhere; }
dd small { font-size: 13px; font-weight: 400; color: var(--quiet); }
svg { display: block; }
svg text { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); stroke-dasharray: 3 3; }
.axis { stroke: var(--quiet); }
.call { fill: var(--call); }
.hit { fill: var(--hit); }
.doubt { fill: none; stroke: var(--quiet); stroke-dasharray: 2 2; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 4px; border-top: 1px solid var(--line); text-align: right; font-weight: 400; vertical-align: top; }
td { white-space: nowrap; }
thead th { border-top: 0; color: var(--quiet); font-size: 12px; vertical-align: bottom; }
th:first-child { text-align: left; overflow-wrap: anywhere; min-width: 70px; }
tfoot th, tfoot td { font-weight: 600; }
td.bar { width: 32%; min-width: 60px; padding-top: 9px; }
summary { cursor: pointer; padding: 6px 0; color: var(--quiet); }
@media (max-width: 480px) { body { padding: 12px 8px 24px; } .card { padding: 10px; } table { font-size: 12px; } thead th { font-size: 11px; } th, td { padding: 5px 2px; } }
`;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: MINUTE_DIGITS });
const exactMoney = new Intl.NumberFormat('en', {
  minimumFractionDigits: 2,
  maximumFractionDigits: MONEY_DIGITS,
});
/** Beyond this, nobody reads hundredths. */
const LARGE = 100_000;

const number = (value: number | null, format = exact) =>
  value === null ? '–' : (value < LARGE ? format : whole).format(value);
const money = (value: number | null) => number(value, exactMoney);
const shorten = (text: string) => shortened(text, LONGEST_LABEL);
const share = (part: number, all: number) =>
  all === 0 ? '–' : `${number(Math.round((part / all) * 1000) / 10)}%`;
const counted = (count: number, one: string, more: string) =>
  `${number(count)} ${count === 1 ? one : more}`;

function tile(name: string, value: string, more = ''): Markup {
  const small = more === '' ? '' : markup` <small>${more}</small>`;
  return markup`<div><dt>${name}</dt><dd>${value}${small}</dd></div>`;
}

/** A bar next to a number that says the same. Screen readers skip the bar. */
function bar(part: number, all: number, kind: string): Markup {
  const width = Number(((part / Math.max(all, 1)) * 100).toFixed(2));
  return markup`<svg width="100%" height="12" aria-hidden="true"><rect class="${kind}" width="${width}%" height="12" rx="2" /></svg>`;
}

function legend(kind: string, name: string): Markup {
  return markup`<span><svg width="12" height="12"><rect class="${kind}" width="12" height="12" rx="2" /></svg>${name}</span>`;
}

function table(
  heading: string,
  head: string[],
  rows: Markup[],
  foot: Markup | string = '',
): Markup {
  const cells = head.map((name) => markup`<th scope="col">${name}</th>`);
  return markup`
<div class="scroll" role="region" aria-label="${heading}" tabindex="0"><table>
<thead><tr>${cells}</tr></thead>
<tbody>
${rows}</tbody>
${foot}</table></div>`;
}

function row(label: string, cells: Markup[]): Markup {
  return markup`<tr><th scope="row"><bdi>${label}</bdi></th>${cells}</tr>\n`;
}

function card(heading: string, ...content: Array<Markup | string>): Markup {
  return markup`<section class="card">\n<h2>${heading}</h2>${content}\n</section>\n`;
}

function leftOut(text: string): Markup {
  return markup`<p class="quiet">${text}</p>`;
}

const HEAD = ['Calls', 'Reached', 'Minutes', 'Cost', 'Per reached'];

function figuresOf({ calls, reached, minutes, cost, costPerReached }: ReportCounts): Markup[] {
  const cells = [calls, reached, minutes].map((value) => number(value));
  cells.push(money(cost), money(costPerReached));
  return cells.map((text) => markup`<td>${text}</td>`);
}

function groupTable(report: Report, groups: ReportGroup[], first: string, most: number): Markup {
  const rows = groups.slice(0, most).map((group) => {
    const { label, maybePlaced } = group;
    const doubtful = maybePlaced === 0 ? '' : ` (${number(maybePlaced)} may have been placed)`;
    return row(shorten(label) + doubtful, figuresOf(group));
  });
  const foot = markup`<tfoot>${row('All', figuresOf(report.totals))}</tfoot>`;
  const all = table(`Numbers by ${first.toLowerCase()}`, [first, ...HEAD], rows, foot);
  const left = groups.length - rows.length;
  return left > 0 ? markup`${all}${leftOut(`… and ${number(left)} more`)}` : all;
}

function outcomesCard({ outcomes, calls: all }: CallTally): Markup {
  const sorted = [...outcomes.values()].sort(
    (a, b) => b.calls - a.calls || (a.label < b.label ? -1 : 1),
  );
  const most = sorted[0]?.calls ?? 0;
  const rows = sorted
    .slice(0, MOST_OUTCOMES)
    .map(({ label, calls, reached }) =>
      row(shorten(label), [
        markup`<td class="bar">${bar(calls, most, reached > 0 ? 'hit' : 'call')}</td>`,
        markup`<td>${number(calls)}</td><td>${share(calls, all)}</td>`,
      ]),
    );
  const others = sorted.slice(MOST_OUTCOMES);
  const ofOthers = others.reduce((sum, { calls }) => sum + calls, 0);
  const note = `… and ${counted(others.length, 'other outcome', 'other outcomes')} with ${counted(ofOthers, 'call', 'calls')}`;
  const shown = table('Outcomes', ['Outcome', '', 'Calls', 'Share'], rows);
  return card('Outcomes', shown, others.length > 0 ? leftOut(note) : '');
}

/** Sentences about calls that are open or were not placed, or whose outcome, placing, length or cost is unknown. */
function notes({ open, givenUp, maybePlaced, notPlaced, seconds, cost }: CallTally): string {
  const unknown = (count: number, what: string) =>
    count > 0 && `The ${what} of ${counted(count, 'ended call', 'ended calls')} is not known.`;
  return [
    open > 0 && `${counted(open, 'call has', 'calls have')} not ended yet.`,
    givenUp > 0 && `The outcome of ${counted(givenUp, 'call', 'calls')} never came.`,
    maybePlaced > 0 &&
      `${counted(maybePlaced, 'more call', 'more calls')} may have been placed: nobody knows, so ${maybePlaced === 1 ? 'it is' : 'they are'} not counted.`,
    unknown(seconds.unknown, 'length'),
    unknown(cost.unknown, 'cost'),
    notPlaced > 0 &&
      `${counted(notPlaced, 'call was', 'calls were')} not placed: the column lastError of the call log says why.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

interface PageDetails {
  table: string;
  /** Keys of outcomes that do not count as reached. */
  notReached: ReadonlySet<string>;
  calls: Pick<CallTallies, 'totals' | 'days'>;
  /** Sentences about rows that do not count, and about scheduled calls that nothing places. */
  warnings: string[];
}

/** The first and the last day of the period, as `YYYY-MM-DD`. */
function daysOf({ from, to }: Report): { first: string; last: string } {
  return { first: from.slice(0, 10), last: to.slice(0, 10) };
}

function charts(report: Report, { totals, days }: PageDetails['calls']): Markup[] {
  const { heading, chart } = dayChart(days, daysOf(report));
  const { groupBy, groups } = report;
  const dayGroups = groupsOf(days, 'day');
  const doubt = totals.maybePlaced === 0 ? '' : legend('doubt', 'may have been placed');
  const colours = markup`
<p class="legend quiet" aria-hidden="true">${legend('hit', 'reached')}${legend('call', 'not reached')}${doubt}</p>`;
  const byDay = markup`
<details><summary>Numbers by day</summary>${groupTable(report, dayGroups, 'Day', MOST_DAYS)}</details>`;
  const cards = [card(heading, chart, colours, byDay), outcomesCard(totals)];
  if (groupBy === 'day') return cards;
  const name = groupBy === 'script' ? 'Script' : 'Outcome';
  return [...cards, card(`Numbers by ${groupBy}`, groupTable(report, groups, name, MOST_OUTCOMES))];
}

/** One HTML page that runs no script and loads nothing. All that came from outside is escaped. */
export function reportPage(
  report: Report,
  { table: name, notReached, calls, warnings }: PageDetails,
): string {
  const { totals, timezone } = report;
  const { first, last } = daysOf(report);
  const period = first === last ? dayInWords(first) : `${dayInWords(first)} to ${dayInWords(last)}`;
  const excluded = [...notReached].sort().join(', ');
  const meaning =
    excluded === ''
      ? 'Reached: the call was completed and has an outcome.'
      : `Reached: the call was completed with an outcome other than ${excluded}.`;
  const note = [...warnings, notes(calls.totals)].filter(Boolean).join(' ');
  const content =
    totals.calls === 0 && totals.maybePlaced === 0
      ? markup`<p class="card">${totals.notPlaced > 0 ? 'No call was placed' : 'There are no calls'} in this period.</p>`
      : charts(report, calls);
  const reachedShare = totals.calls === 0 ? '' : share(totals.reached, totals.calls);
  const tiles = [
    tile('Calls', number(totals.calls)),
    tile('Reached', number(totals.reached), reachedShare),
    tile('Minutes', number(totals.minutes)),
    tile('Cost', money(totals.cost)),
    tile('Cost per reached', money(totals.costPerReached)),
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Calls, ${period}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>Calls</h1>
<p>${period}</p>
<p class="quiet">Call log <bdi>${shorten(name)}</bdi>, time zone ${timezone}</p>
<dl>${tiles}</dl>
${note === '' ? '' : markup`<p>${note}</p>`}
${content}
<p class="quiet">${meaning} A call belongs to the day on which it was placed. Cost is in the currency of the account.</p>
</main>
</body>
</html>
`.text;
}
