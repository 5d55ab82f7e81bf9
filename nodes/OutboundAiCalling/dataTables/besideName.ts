/** What the name of a table beside another ends with, however a person renames it. */
export function besideSuffix(tableId: string): string {
  return `(${tableId})`;
}

/** The name of the table beside another, in which triggers keep how far they have come. */
export function besideName(name: string, tableId: string): string {
  return `Triggers of ${name.slice(0, 80)} ${besideSuffix(tableId)}`;
}

/** Whether a table is one beside another: nobody chooses it. */
export function isBesideName(name: string): boolean {
  return /^Triggers of .+ \(\w+\)$/.test(name);
}
