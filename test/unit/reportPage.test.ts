import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { markup } from '../../nodes/OutboundAiCalling/actions/callLog/markup';
import { callsOf, HOSTILE, pageOf, PAGES } from '../reportPages';
import { fc, runs, seed } from '../generators';

const VOID = new Set(['meta', 'rect', 'line']);
const ALLOWED =
  /^(html|head|meta|title|style|body|main|h1|h2|p|bdi|dl|div|dt|dd|small|section|svg|g|rect|line|text|desc|details|summary|table|thead|tbody|tfoot|tr|th|td|span)$/;

/** Reads a page strictly: every element is one of ours, closed in order, its attributes quoted. */
function elementsOf(page: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page) ?? [];
  const rest = page.replace(/^<!doctype html>/, '').replace(style, '');
  for (const [tag] of rest.matchAll(/<[^>]*>/g)) {
    const match = /^<(\/?)([a-z0-9]+)((?: [a-z0-9-]+="[^"<>]*")*) ?(\/?)>$/.exec(tag);
    if (match === null) throw new Error(`Not an element: ${tag}`);
    const [, closing, name = '', attributes = '', closed] = match;
    if (!ALLOWED.test(name)) throw new Error(`No element of ours: ${name}`);
    if (/ (on\w+|href|src|xlink)/.test(attributes)) throw new Error(`Not alone: ${tag}`);
    if (closing === '/') expect(open.pop()).toBe(name);
    else if (closed !== '/' && !VOID.has(name)) open.push(name);
    seen.push(name);
  }
  expect(open).toEqual([]);
  expect(rest.replace(/<[^>]*>/g, '')).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|#39);)/);
  return seen;
}

const textOf = (page: string) =>
  page
    .replace(/<style>[^<]*<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the page of a report', () => {
  it.each(Object.entries(PAGES))('is well formed and stands alone: %s', (_name, page) => {
    expect(elementsOf(page)).toContain('main');
    expect(page).not.toMatch(/url\(|@import|https?:/);
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });

  it('shows hostile text as text', () => {
    expect(PAGES.hostile).not.toContain('<script');
    expect(PAGES.hostile).not.toContain('<img');
    expect(PAGES.hostile).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it(`lets no text out of its place (seed ${seed})`, () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(HOSTILE, '--><script>', ']]>', '&lt;', '\u202egnp', '<!--', '$&', '`${1}`'),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(hostile, hostile, hostile), { minLength: 1, maxLength: 5 }),
        hostile,
        fc.constantFrom('day' as const, 'outcome' as const, 'script' as const),
        (labels, table, groupBy) => {
          const rows = labels.flatMap(([outcome, outcomeKey, scriptId]) =>
            callsOf(1, { outcome, outcomeKey, scriptId } as unknown as Partial<Row>),
          );
          elementsOf(pageOf(rows, { groupBy, table }));
        },
      ),
      { numRuns: runs(100, 1_000) },
    );
  });

  it('says the same in numbers as in its charts', () => {
    const page = pageOf([
      ...callsOf(1),
      ...callsOf(1, { outcome: 'no_answer', outcomeKey: 'no_answer', cost: null }),
      ...callsOf(1, { status: 'maybe_placed' }),
    ]);
    expect(page).toContain('<title>21 Nov: 8 calls, 3 reached, 4 may have been placed</title>');
    const text = textOf(page);
    expect(text).toContain('Calls 8 Reached 3 37.5%');
    expect(text).toContain('Sat, 21 Nov 2026 (4 may have been placed) 8 3');
    expect(text).toContain('4 more calls may have been placed: nobody knows');
    expect(text).toContain('The cost of 4 ended calls is not known');
    expect(text).toContain('other than busy, failed, insufficient_talk, no_answer, voicemail');
  });

  it('shows small costs and lengths as they are in the item, and unknown ones as unknown', () => {
    const page = textOf(pageOf(callsOf(1, { cost: 0.0014, durationSec: 1 })));
    expect(page).toContain('Minutes 0.07 Cost 0.0056 Cost per reached 0.0019');
    expect(page).toContain('Sat, 21 Nov 2026 4 3 0.07 0.0056 0.0019');
    const unknown = textOf(pageOf(callsOf(1, { durationSec: null })));
    expect(unknown).toContain('Minutes – Cost 5.00');
    expect(unknown).toContain('The length of 4 ended calls is not known.');
  });

  it('says how many calls were not placed where no call was', () => {
    const page = textOf(pageOf(callsOf(1, { status: 'cancelled' })));
    expect(page).toContain('4 calls were not placed: the column lastError');
    expect(page).toContain('No call was placed in this period.');
  });

  it('shows a day on which nobody knows whether calls were placed', () => {
    const onlyInDoubt = pageOf(callsOf(1, { status: 'maybe_placed' }));
    expect(onlyInDoubt).toContain(
      '<title>21 Nov: 0 calls, 0 reached, 4 may have been placed</title>',
    );
    expect(onlyInDoubt).toMatch(/<rect class="doubt"[^>]*height="[1-9]/);
    expect(textOf(onlyInDoubt)).toContain('Sat, 21 Nov 2026 (4 may have been placed) 0 0');
    expect(textOf(onlyInDoubt)).toContain('may have been placed');
    const withCalls = pageOf([...callsOf(1), ...callsOf(1, { status: 'maybe_placed' })]);
    expect(withCalls).toContain(
      '<title>21 Nov: 4 calls, 3 reached, 4 may have been placed</title>',
    );
    expect(pageOf(callsOf(1))).not.toContain('class="doubt"');
  });

  it('draws days, then weeks, months and years, so that bars can be told apart', () => {
    const heading = (days: number) => /<h2>(Calls by \w+)/.exec(pageOf(callsOf(1), { days }))?.[1];
    expect([1, 62, 63, 434, 435, 1860, 1861].map(heading)).toEqual([
      ...['Calls by day', 'Calls by day', 'Calls by week', 'Calls by week'],
      ...['Calls by month', 'Calls by month', 'Calls by year'],
    ]);
  });

  it('draws every bar within its chart', () => {
    for (const page of Object.values(PAGES)) {
      const bars = [...page.matchAll(/x="([\d.]+)%" y="(\d+)" width="([\d.]+)%" height="(\d+)"/g)];
      for (const [, x, y, width, height] of bars) {
        expect(Number(x) + Number(width)).toBeLessThanOrEqual(100);
        expect(Number(y)).toBeGreaterThanOrEqual(22);
        expect(Number(y) + Number(height)).toBe(156);
      }
    }
  });

  it('has colours that can be told from their background', () => {
    const channel = (part: string) => {
      const value = parseInt(part, 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    };
    const light = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = (colour.match(/[\da-f]{2}/g) ?? []).map(channel);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (a: string, b: string) => {
      const [low = 0, high = 0] = [light(a), light(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    const schemes = [...(PAGES.month ?? '').matchAll(/:root \{([^}]*)\}/g)].map(([, set = '']) =>
      Object.fromEntries([...set.matchAll(/--(\w+): (#[\da-f]{6})/g)].map(([, k, v]) => [k, v])),
    );
    expect(schemes).toHaveLength(2);
    for (const { page, card, text, quiet, hit, call } of schemes as Array<Record<string, string>>) {
      for (const ground of [page, card] as string[]) {
        expect(contrast(String(text), ground)).toBeGreaterThan(7);
        expect(contrast(String(quiet), ground)).toBeGreaterThan(4.5);
        expect(contrast(String(hit), ground)).toBeGreaterThan(3);
        expect(contrast(String(call), ground)).toBeGreaterThan(3);
      }
    }
  });
});

describe('a template of HTML', () => {
  it('escapes what is put in, but not what is HTML already', () => {
    const inner = markup`<b>${'<i>"&\''}</b>`;
    expect(markup`<p title="${'"'}">${inner}${[inner, 1]}</p>`.text).toBe(
      '<p title="&quot;"><b>&lt;i&gt;&quot;&amp;&#39;</b><b>&lt;i&gt;&quot;&amp;&#39;</b>1</p>',
    );
  });
});
