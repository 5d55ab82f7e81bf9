import { inOrder, type Cell, type Condition, type Filter, type TableRow } from './condition';

/** To look at so few rows takes less time than to choose among them. */
const FEW = 100;
/** To move so many rows aside takes no time. */
const LARGEST_CHUNK = 1_000;

/** Rows of an order from a place on, up to another. */
type Span = [from: number, to: number];

const RANKS: Record<string, number> = { object: 0, boolean: 1, number: 2, string: 3 };

/** Cells without a value first, then one type after the other. */
function compare(a: Cell, b: Cell): number {
  if (a === b) return 0;
  const byType = (RANKS[typeof a] ?? 0) - (RANKS[typeof b] ?? 0);
  if (byType !== 0 || a === null || b === null) return byType;
  return a < b ? -1 : 1;
}

/** All rows of a table in the order of one column, those with the same cell in the order of their ids. */
class RowOrder {
  private readonly chunks: TableRow[][] = [];
  length = 0;

  constructor(
    private readonly column: string,
    rows: TableRow[],
  ) {
    const sorted = rows.toSorted((a, b) => this.compareRows(a, b));
    const size = LARGEST_CHUNK / 2;
    for (let at = 0; at < sorted.length; at += size) this.chunks.push(sorted.slice(at, at + size));
    this.length = sorted.length;
  }

  get rows(): TableRow[] {
    return this.chunks.flat();
  }

  add(row: TableRow): void {
    this.length++;
    const [at, index] = this.placeAfter((other) => this.compareRows(other, row) < 0);
    const chunk = this.chunks[at] ?? this.chunks.at(-1);
    if (chunk === undefined) return void this.chunks.push([row]);
    // What comes after all rows is added to the last chunk.
    chunk.splice(at < this.chunks.length ? index : chunk.length, 0, row);
    if (chunk.length > LARGEST_CHUNK) {
      this.chunks.splice(this.chunks.indexOf(chunk) + 1, 0, chunk.splice(LARGEST_CHUNK / 2));
    }
  }

  remove(row: TableRow): void {
    this.length--;
    const [at, index] = this.placeAfter((other) => this.compareRows(other, row) < 0);
    this.chunks[at]?.splice(index, 1);
    if (this.chunks[at]?.length === 0) this.chunks.splice(at, 1);
  }

  replace(row: TableRow, by: TableRow): void {
    if (this.compareRows(row, by) !== 0) {
      this.remove(row);
      return this.add(by);
    }
    const [at, index] = this.placeAfter((other) => this.compareRows(other, row) < 0);
    this.chunks[at]?.splice(index, 1, by);
  }

  *rowsIn([from, to]: Span, backwards = false): Iterable<TableRow> {
    let left = to - from;
    let [at, index] = this.placeOf(backwards ? to - 1 : from);
    const step = backwards ? -1 : 1;
    for (; left > 0; left--) {
      const chunk = this.chunks[at] ?? [];
      yield chunk[index] as TableRow;
      index += step;
      if (index >= 0 && index < chunk.length) continue;
      at += step;
      index = backwards ? (this.chunks[at]?.length ?? 0) - 1 : 0;
    }
  }

  /** Where the rows are for which a condition holds; undefined when this order does not say. */
  spansOf({ condition, value }: Pick<Condition, 'condition' | 'value'>): Span[] | undefined {
    const below = this.countBefore((cell) => compare(cell, value) < 0);
    const through = this.countBefore((cell) => compare(cell, value) <= 0);
    if (condition === 'eq') return [[below, through]];
    if (condition === 'neq' || value === null) {
      return [
        [0, below],
        [through, this.length],
      ];
    }
    const filled = this.filled;
    if (filled === undefined || !filled.types.every((type) => type === typeof value)) {
      return undefined;
    }
    switch (condition) {
      case 'gt':
        return [[through, this.length]];
      case 'gte':
        return [[below, this.length]];
      case 'lt':
        return [[filled.from, below]];
      case 'lte':
        return [[filled.from, through]];
      default:
        return undefined;
    }
  }

  /** Where cells with a value begin, and their type; undefined when there are several, whose order is SQL's. */
  get filled(): { from: number; types: string[] } | undefined {
    const from = this.countBefore((cell) => cell === null);
    const ends = from === this.length ? [] : [from, this.length - 1];
    const types = ends.map((place) => typeof this.cellAt(place));
    return new Set(types).size > 1 ? undefined : { from, types };
  }

  private cellAt(place: number): Cell {
    const [at, index] = this.placeOf(place);
    return this.chunks[at]?.[index]?.[this.column] ?? null;
  }

  private placeOf(place: number): [chunk: number, index: number] {
    let at = 0;
    let index = place;
    for (let chunk = this.chunks[0]; chunk !== undefined; chunk = this.chunks[++at]) {
      if (index < chunk.length) break;
      index -= chunk.length;
    }
    return [at, index];
  }

  private countBefore(isBefore: (cell: Cell) => boolean): number {
    const [at, index] = this.placeAfter((row) => isBefore(row[this.column] ?? null));
    let count = index;
    for (let before = 0; before < at; before++) count += this.chunks[before]?.length ?? 0;
    return count;
  }

  /** The first place whose row does not come before something. */
  private placeAfter(isBefore: (row: TableRow) => boolean): [chunk: number, index: number] {
    const at = firstNot(this.chunks, (chunk) => isBefore(chunk.at(-1) as TableRow));
    return [at, firstNot(this.chunks[at] ?? [], isBefore)];
  }

  private compareRows(a: TableRow, b: TableRow): number {
    return compare(a[this.column] ?? null, b[this.column] ?? null) || a.id - b.id;
  }
}

/** Where entries end that are so: they all come first. */
function firstNot<T>(entries: T[], isSo: (entry: T) => boolean): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isSo(entries[middle] as T)) from = middle + 1;
    else to = middle;
  }
  return from;
}

export interface Search {
  filter: Filter;
  /** Whether the filter holds for a row that can be seen. */
  matches: (row: TableRow) => boolean;
  sortBy: string;
  /** No more rows than these are asked for. */
  most: number;
}

/**
 * Rows of a large table: a search looks at few of them. A column that somebody has asked about has its
 * order from then on.
 */
export class TableIndex {
  private readonly ids = new RowOrder('id', []);
  private readonly orders = new Map([['id', this.ids]]);

  /** @param emptyFirst whether cells without a value are the lowest, or the highest */
  constructor(private readonly emptyFirst: boolean) {}

  get length(): number {
    return this.ids.length;
  }

  get rows(): TableRow[] {
    return this.ids.rows;
  }

  get newest(): TableRow | undefined {
    const [row] = this.ids.rowsIn([Math.max(0, this.length - 1), this.length]);
    return row;
  }

  add(row: TableRow): void {
    for (const order of this.orders.values()) order.add(row);
  }

  replace(row: TableRow, by: TableRow): void {
    for (const order of this.orders.values()) order.replace(row, by);
  }

  remove(row: TableRow): void {
    for (const order of this.orders.values()) order.remove(row);
  }

  /** The first rows, in order, for which a filter holds. */
  find(search: Search): TableRow[] {
    if (this.length <= FEW) {
      const found = this.rows.filter(search.matches);
      return search.sortBy === 'id:asc' ? found : inOrder(found, search.sortBy, this.emptyFirst);
    }
    const candidates = this.candidatesFor(search.filter);
    const first = candidates.count > search.most ? this.walk(search, candidates.count) : undefined;
    if (first !== undefined) return first;
    return inOrder(candidates.rows().filter(search.matches), search.sortBy, this.emptyFirst);
  }

  private orderOf(column: string): RowOrder {
    const order = this.orders.get(column) ?? new RowOrder(column, this.rows);
    this.orders.set(column, order);
    return order;
  }

  /** Rows among which are all for which a filter holds. */
  private candidatesFor({ type, filters }: Filter) {
    const all = { count: this.length, rows: () => this.rows };
    const sets = filters.map((condition) => {
      const order = this.orderOf(condition.columnName);
      const spans = order.spansOf(condition);
      if (spans === undefined) return all;
      const count = spans.reduce((sum, [from, to]) => sum + to - from, 0);
      return { count, rows: () => spans.flatMap((span) => [...order.rowsIn(span)]) };
    });
    if (type === 'and') return sets.reduce((a, b) => (b.count < a.count ? b : a), all);
    const count = sets.reduce((sum, set) => sum + set.count, 0);
    if (count >= all.count) return all;
    return { count, rows: () => [...new Set(sets.flatMap((set) => set.rows()))] };
  }

  /** Looks at rows in the order that is asked for, until there are enough; undefined when that takes too long. */
  private walk({ filter, matches, sortBy, most }: Search, longest: number) {
    const [column = 'id', direction] = sortBy.split(':');
    const backwards = direction === 'desc';
    const order = this.orderOf(column);
    const { filled } = order;
    // Rows with the same cell come in the order of their ids in both directions.
    if (filled === undefined || (backwards && column !== 'id')) return undefined;
    const empty: Span = [0, filled.from];
    const rest: Span = [filled.from, order.length];
    let spans = this.emptyFirst ? [empty, rest] : [rest, empty];
    for (const condition of filter.type === 'and' ? filter.filters : []) {
      if (condition.columnName !== column) continue;
      const held = order.spansOf(condition) ?? [[0, order.length]];
      spans = spans.flatMap((span) => held.map((other) => overlap(span, other)));
    }
    const found: TableRow[] = [];
    let looks = 0;
    for (const span of backwards ? spans.toReversed() : spans) {
      for (const row of order.rowsIn(span, backwards)) {
        if (found.length >= most) return found;
        if (++looks > longest) return undefined;
        if (matches(row)) found.push(row);
      }
    }
    return found;
  }
}

function overlap([a, b]: Span, [c, d]: Span): Span {
  const from = Math.max(a, c);
  return [from, Math.max(from, Math.min(b, d))];
}
