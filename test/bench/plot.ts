import { meetsAim, median, told, type Figure } from './figure';

const WIDTH = 860;
const LABELS = 380;
const VALUES = 110;
const LANE = 28;
const PLOT = WIDTH - LABELS - VALUES;

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function lane(figure: Figure, top: number): string {
  const { name, unit, values, aim } = figure;
  const bound = aim === undefined ? undefined : 'atMost' in aim ? aim.atMost : aim.atLeast;
  const largest = Math.max(...values, bound ?? 0) * 1.05 || 1;
  const x = (value: number) => (LABELS + (value / largest) * PLOT).toFixed(1);
  const middle = top + LANE / 2;
  const color = meetsAim(figure) === false ? '#c2410c' : '#0f766e';
  const mark = (at: number, style: string) =>
    `<line x1="${x(at)}" x2="${x(at)}" y1="${top + 4}" y2="${top + LANE - 4}" ${style}/>`;
  return [
    `<text x="${LABELS - 10}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>`,
    `<line x1="${LABELS}" x2="${LABELS + PLOT}" y1="${middle}" y2="${middle}" stroke="#d4d4d8"/>`,
    bound === undefined ? '' : mark(bound, 'stroke="#3f3f46" stroke-dasharray="3 2"'),
    ...values.map(
      (value) =>
        `<circle cx="${x(value)}" cy="${middle}" r="4" fill="${color}" fill-opacity="0.45"/>`,
    ),
    mark(median(values), `stroke="${color}" stroke-width="2"`),
    `<text x="${WIDTH - 8}" y="${middle + 4}" text-anchor="end">${told(median(values), unit)}</text>`,
  ].join('');
}

/**
 * Draws figures below each other, each on a scale of its own that begins at zero: a dot for every run,
 * a stroke for the median, a dashed one for the aim. What misses its aim is orange.
 *
 * @returns an SVG file
 */
export function plotOf(title: string, figures: Figure[]): string {
  const height = figures.length * LANE + 16;
  const lanes = figures.map((figure, index) => lane(figure, 8 + index * LANE));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title).replace(/"/g, '&quot;')}" font-family="system-ui, sans-serif" font-size="12" fill="#18181b">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...lanes,
    '</svg>\n',
  ].join('\n');
}
