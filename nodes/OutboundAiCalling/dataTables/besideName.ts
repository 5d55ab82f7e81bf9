/** The end of the name of the table next to a log, which stays when a person renames the log. */
export function besideSuffix(tableId: string): string {
  return `(${tableId})`;
}

/** The name of the table next to a log, which holds the cursors of its triggers and its locks. */
export function besideName(name: string, tableId: string): string {
  return `Triggers of ${name.slice(0, 80)} ${besideSuffix(tableId)}`;
}

/** Whether this is a table next to a log. Nobody chooses such a table. */
export function isBesideName(name: string): boolean {
  return /^Triggers of .+ \(\w+\)$/.test(name);
}
