/** So many rows are kept as text: what is asked for again is asked for soon. */
const TEXTS_KEPT = 2_000;
/** Of rows that were given before: rows are never changed. */
const textsOfRows = new Map<object, string>();

function textOfRow(row: object): string {
  const known = textsOfRows.get(row);
  if (known !== undefined) return known;
  const text = JSON.stringify(row);
  if (textsOfRows.size >= TEXTS_KEPT) textsOfRows.clear();
  textsOfRows.set(row, text);
  return text;
}

const textOfRows = (rows: object[]): string => `[${rows.map(textOfRow).join(',')}]`;

/** An answer of the tables as JSON. */
export function textOf(answer: unknown): string {
  if (Array.isArray(answer)) return textOfRows(answer);
  const { data, ...rest } = answer as { data?: object[] };
  if (data === undefined) return JSON.stringify(answer);
  return `{"data":${textOfRows(data)},${JSON.stringify(rest).slice(1)}`;
}
