import type { CallTally } from '../../callLog/reading/callTally';
import { DAY_MS } from '../../clocks';
import { markup, type Markup } from './markup';

type DayCounts = Pick<CallTally, 'calls' | 'reached' | 'maybePlaced'>;

interface Bar extends DayCounts {
  /** The first day of the bar, as `YYYY-MM-DD`. */
  day: string;
}

type Unit = 'day' | 'week' | 'month' | 'year';

/** More bars are too thin to see one by one on a phone. */
const MOST_BARS = 62;
/** Each unit with the longest period that it is used for, in days. */
const UNITS: Array<[Unit, number]> = [
  ['day', MOST_BARS],
  ['week', MOST_BARS * 7],
  ['month', MOST_BARS * 30],
  ['year', Infinity],
];

const HEIGHT = 180;
/** Bars stand between these heights: below the highest number, above the labels. */
const TOP = 22;
const BOTTOM = 156;
/** The share of its place that a bar fills. */
const BROAD = 0.8;
/** The largest width of a bar, in percent of the chart. */
const BROADEST = 12;

function firstDayOf(day: string, unit: Unit): string {
  if (unit === 'month') return `${day.slice(0, 7)}-01`;
  if (unit === 'year') return `${day.slice(0, 4)}-01-01`;
  if (unit === 'day') return day;
  const at = Date.parse(day);
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}

/** The bars of a period in order, including bars without calls. */
function barsOf(
  days: ReadonlyMap<string, DayCounts>,
  { first, last }: { first: string; last: string },
): { unit: Unit; bars: Bar[] } {
  const count = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  const [unit] = UNITS.find(([, most]) => count <= most) ?? ['year'];
  const bars = new Map<string, Bar>();
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const start = firstDayOf(day, unit);
    const bar = bars.get(start) ?? { day: start, calls: 0, reached: 0, maybePlaced: 0 };
    bars.set(start, bar);
    const counts = days.get(day);
    if (counts === undefined) continue;
    bar.calls += counts.calls;
    bar.reached += counts.reached;
    bar.maybePlaced += counts.maybePlaced;
  }
  return { unit, bars: [...bars.values()] };
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const FORMATS: Record<Unit, Intl.DateTimeFormat> = {
  day: format({ day: 'numeric', month: 'short' }),
  week: format({ day: 'numeric', month: 'short', year: 'numeric' }),
  month: format({ month: 'short', year: 'numeric' }),
  year: format({ year: 'numeric' }),
};
const WHOLE = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

/** A day as people write it: `Sat, 21 Nov 2026`. */
export function dayInWords(day: string): string {
  return WHOLE.format(Date.parse(day));
}

const percent = (value: number) => `${Number(value.toFixed(3))}%`;

/**
 * Draws calls and reached calls over time as bars. Each bar is a day or, when these would be too
 * many, a week, a month or a year. Texts keep their size at any width of the chart.
 *
 * @param days keyed by `YYYY-MM-DD`
 */
export function dayChart(
  days: ReadonlyMap<string, DayCounts>,
  period: { first: string; last: string },
): { heading: string; chart: Markup } {
  const { unit, bars } = barsOf(days, period);
  const highest = Math.max(1, ...bars.map(({ calls, maybePlaced }) => calls + maybePlaced));
  const place = 100 / bars.length;
  const width = Math.min(place * BROAD, BROADEST);
  const shortName = (index: number) => FORMATS[unit].format(Date.parse(bars[index]?.day ?? ''));
  const name = (bar: Bar) =>
    `${unit === 'week' ? 'week of ' : ''}${FORMATS[unit].format(Date.parse(bar.day))}`;
  const rect = (kind: string, x: string, height: number) =>
    markup`<rect class="${kind}" x="${x}" y="${BOTTOM - height}" width="${percent(width)}" height="${height}" />`;
  const drawn = bars.map((bar, index) => {
    const { calls, reached, maybePlaced } = bar;
    if (calls + maybePlaced === 0) return '';
    const x = percent(index * place + (place - width) / 2);
    // At least 2 pixels, so that a single call among thousands is visible.
    const high = (count: number) => Math.max(2, Math.round(((BOTTOM - TOP) * count) / highest));
    const doubtful = maybePlaced === 0 ? '' : `, ${maybePlaced} may have been placed`;
    const title = `${name(bar)}: ${calls} ${calls === 1 ? 'call' : 'calls'}, ${reached} reached${doubtful}`;
    const part = (kind: string, count: number, height: number) =>
      count === 0 ? '' : rect(kind, x, high(height));
    const parts = [
      part('doubt', maybePlaced, calls + maybePlaced),
      part('call', calls, calls),
      part('hit', reached, reached),
    ];
    return markup`<g><title>${title}</title>${parts}</g>`;
  });
  const label = (index: number, x: number, anchor: string) =>
    markup`<text x="${percent(x)}" y="${HEIGHT - 6}" text-anchor="${anchor}">${shortName(index)}</text>`;
  const last = bars.length - 1;
  const middle = Math.floor(last / 2);
  const inTheMiddle = last >= 4 ? [label(middle, (middle + 0.5) * place, 'middle')] : [];
  const labels =
    last === 0
      ? [label(0, 50, 'middle')]
      : [label(0, 0, 'start'), ...inTheMiddle, label(last, 100, 'end')];
  const heading = `Calls by ${unit}`;
  const mostCalls = Math.max(...bars.map(({ calls }) => calls));
  const busiest = bars.find(({ calls }) => calls > 0 && calls === mostCalls);
  const most = busiest === undefined ? '' : `Most calls: ${mostCalls}, ${name(busiest)}.`;
  const what = `Bars from ${dayInWords(period.first)} to ${dayInWords(period.last)}; the strong part of each is the reached calls. ${most} The table below has the numbers by day.`;
  return {
    heading,
    chart: markup`
<svg width="100%" height="${HEIGHT}" role="img" aria-labelledby="days-title days-desc">
<title id="days-title">${heading}</title>
<desc id="days-desc">${what}</desc>
<line class="grid" x1="0" x2="100%" y1="${TOP}" y2="${TOP}" />
<text x="0" y="${TOP - 6}">${highest}</text>
${drawn}
<line class="axis" x1="0" x2="100%" y1="${BOTTOM}" y2="${BOTTOM}" />
${labels}
</svg>`,
  };
}
