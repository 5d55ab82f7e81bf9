import { median, told, type Figure } from './figure';

const WIDTH = 860;
const COLUMNS = 2;
const PANEL = { width: WIDTH / COLUMNS, height: 190 };
const MARGIN = { left: 96, right: 34, top: 34, bottom: 40 };
const COLOR = '#0f766e';

/** Figures of one curve, in the order of what they are along. */
export type Curve = Array<Figure & { along: NonNullable<Figure['along']> }>;

/** The curves that figures belong to. */
export function curvesIn(figures: Figure[]): Curve[] {
  const curves = new Map<string, Curve>();
  for (const figure of figures) {
    const { along } = figure;
    if (along === undefined) continue;
    const key = `${along.axis}: ${along.name}`;
    curves.set(key, [...(curves.get(key) ?? []), { ...figure, along }]);
  }
  return [...curves.values()];
}

function panel(curve: Curve, index: number): string {
  const [first] = curve;
  if (first === undefined) return '';
  const left = (index % COLUMNS) * PANEL.width + MARGIN.left;
  const top = Math.floor(index / COLUMNS) * PANEL.height + MARGIN.top;
  const width = PANEL.width - MARGIN.left - MARGIN.right;
  const height = PANEL.height - MARGIN.top - MARGIN.bottom;
  const largest = Math.max(...curve.flatMap(({ values }) => values)) * 1.1 || 1;
  const [low, high] = [first, curve.at(-1) ?? first].map(({ along }) => Math.log(along.at));
  const span = (high ?? 0) - (low ?? 0) || 1;
  const x = (at: number) => (left + ((Math.log(at) - (low ?? 0)) / span) * width).toFixed(1);
  const y = (value: number) => (top + height - (value / largest) * height).toFixed(1);
  const points = curve.map(({ along, values }) => `${x(along.at)},${y(median(values))}`);
  return [
    `<text x="${left}" y="${top - 14}" font-weight="600">${first.along.name}</text>`,
    `<line x1="${left}" x2="${left + width}" y1="${top + height}" y2="${top + height}" stroke="#d4d4d8"/>`,
    `<line x1="${left}" x2="${left}" y1="${top}" y2="${top + height}" stroke="#d4d4d8"/>`,
    `<text x="${left - 8}" y="${top + height + 4}" text-anchor="end">0</text>`,
    `<text x="${left - 8}" y="${top + 8}" text-anchor="end">${told(largest, first.unit)}</text>`,
    `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOR}" stroke-width="2"/>`,
    ...curve.flatMap(({ along, values }) => [
      ...values.map(
        (value) =>
          `<circle cx="${x(along.at)}" cy="${y(value)}" r="4" fill="${COLOR}" fill-opacity="0.45"/>`,
      ),
      `<text x="${x(along.at)}" y="${top + height + 16}" text-anchor="middle">${along.at.toLocaleString('en-US')}</text>`,
    ]),
    `<text x="${left + width / 2}" y="${top + height + 32}" text-anchor="middle" fill="#52525b">${first.along.axis}</text>`,
  ].join('');
}

/**
 * Draws curves beside and below each other: the amount to the right by powers, the cost upwards from
 * zero, a dot for every run, a line through the medians.
 *
 * @returns an SVG file
 */
export function plotOfCurves(title: string, curves: Curve[]): string {
  const height = Math.ceil(curves.length / COLUMNS) * PANEL.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12" fill="#18181b">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...curves.map(panel),
    '</svg>\n',
  ].join('\n');
}
