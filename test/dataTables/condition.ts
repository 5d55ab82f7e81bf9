export type Cell = string | number | boolean | null;

export type TableRow = { id: number } & Record<string, Cell>;

export interface Condition {
  columnName: string;
  condition: string;
  value: Cell;
}

export interface Filter {
  type: 'and' | 'or';
  filters: Condition[];
}

type Test = (cell: Cell) => boolean;

let inCapitalsLast = { text: '', capitals: '' };

/** In capitals as SQLite writes them: of other letters than these it knows none. */
function inCapitals(text: string): string {
  // Many conditions ask about one cell, one after the other.
  if (text !== inCapitalsLast.text) {
    const capitals = text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
    inCapitalsLast = { text, capitals };
  }
  return inCapitalsLast.capitals;
}

/** SQL's `LIKE`, which in n8n minds capitals. */
function like(pattern: string): Test {
  const [, open, words, end] = /^(%?)([^%_]+)(%?)$/s.exec(pattern) ?? [];
  if (words !== undefined && end === '%') {
    return open === '%'
      ? (cell) => cell !== null && String(cell).includes(words)
      : (cell) => cell !== null && String(cell).startsWith(words);
  }
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%', '.*');
  const expression = new RegExp(`^${source.replaceAll('_', '.')}$`, 'su');
  return (cell) => cell !== null && expression.test(String(cell));
}

/** As SQL does: only `is null` holds for a cell without a value, and `is not` another value. */
function testOf({ condition, value }: Condition): Test {
  if (value === null) {
    return condition === 'eq' ? (cell) => cell === null : (cell) => cell !== null;
  }
  switch (condition) {
    case 'eq':
      return (cell) => cell === value;
    case 'neq':
      return (cell) => cell !== value;
    case 'like':
      return like(String(value));
    case 'ilike': {
      const test = like(inCapitals(String(value).includes('%') ? String(value) : `%${value}%`));
      return (cell) => cell !== null && test(inCapitals(String(cell)));
    }
    case 'gt':
      return (cell) => cell !== null && cell > value;
    case 'gte':
      return (cell) => cell !== null && cell >= value;
    case 'lt':
      return (cell) => cell !== null && cell < value;
    case 'lte':
      return (cell) => cell !== null && cell <= value;
    default:
      throw new Error(`There is no condition ${condition}`);
  }
}

/** Whether a row is one that the filter asks for. */
export function matcherOf({ type, filters }: Filter): (row: TableRow) => boolean {
  const tests = filters.map((condition) => {
    const test = testOf(condition);
    const { columnName } = condition;
    return (row: TableRow) => test(row[columnName] ?? null);
  });
  return type === 'and'
    ? (row) => tests.every((test) => test(row))
    : (row) => tests.some((test) => test(row));
}

/**
 * Rows in the order of one column.
 *
 * @param emptyFirst whether cells without a value are the lowest, or the highest
 */
export function inOrder(rows: TableRow[], sortBy: string, emptyFirst: boolean): TableRow[] {
  const [column = 'id', direction] = sortBy.split(':');
  const sign = direction === 'desc' ? -1 : 1;
  const compare = (a: Cell, b: Cell) => {
    if (a === b) return 0;
    if (a === null) return emptyFirst ? -1 : 1;
    if (b === null) return emptyFirst ? 1 : -1;
    return a < b ? -1 : 1;
  };
  return rows.toSorted(
    (a, b) => sign * compare(a[column] ?? null, b[column] ?? null) || a.id - b.id,
  );
}
