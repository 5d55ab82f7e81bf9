import type { PreparedN8n } from '../../scripts/n8n';
import type { Blocks } from './blocks';

/** What each run of a benchmark measured, and what it should be. */
export interface Figure {
  name: string;
  /** Of the values; `times` for what is divided by another figure of the same run. */
  unit: 'ms' | 's' | 'MB' | '%' | 'times' | 'requests' | 'calls';
  /** One of each run, in the order of the runs. */
  values: number[];
  aim?: { atMost: number } | { atLeast: number };
  /** The place of this figure on a curve: how much there is of what an axis counts. */
  along?: { axis: string; at: number; name: string };
}

export interface Bench {
  title: string;
  /** What is measured beside what, in sentences for the page. */
  about: string;
  /** What costs most where an aim is missed, in sentences for the page. */
  misses?: string;
  measure(n8n: PreparedN8n, blocks: Blocks): Promise<Figure[]>;
}

/** The middle one of several values, which a moment of other load does not move. */
export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** Every value divided by the one of the same run. */
export function ratios(values: number[], others: number[]): number[] {
  return values.map((value, run) => value / (others[run] ?? NaN));
}

/** Whether the median meets the aim; undefined without an aim. */
export function meetsAim({ values, aim }: Figure): boolean | undefined {
  if (aim === undefined) return undefined;
  return 'atMost' in aim ? median(values) <= aim.atMost : median(values) >= aim.atLeast;
}

/** A value with its unit, to three digits. */
export function told(value: number, unit: Figure['unit']): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const number = Number(value.toFixed(digits)).toLocaleString('en-US');
  return unit === 'times' ? `× ${number}` : `${number} ${unit}`;
}
