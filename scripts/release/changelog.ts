const UNRELEASED = 'Unreleased';

/**
 * Makes the entry "Unreleased" of a change log the entry of a version.
 *
 * @param date as `2026-05-03`
 * @throws Error when there is no such entry, or nothing stands in it
 */
export function datedChangelog(changelog: string, version: string, date: string): string {
  notesOf(changelog, UNRELEASED);
  return changelog.replace(`## ${UNRELEASED}\n`, `## ${version} (${date})\n`);
}

/**
 * What the change log says of a version, without the heading.
 *
 * @throws Error when there is no entry of that version, or nothing stands in it
 */
export function notesOf(changelog: string, version: string): string {
  const [, ...entries] = changelog.split(/^## /m);
  const entry = entries.find((text) => text.split(/\s/, 1)[0] === version);
  const notes = entry?.slice(entry.indexOf('\n')).trim() ?? '';
  if (notes === '') {
    throw new Error(`CHANGELOG.md has no entry "## ${version}" that says what has changed.`);
  }
  return `${notes}\n`;
}
