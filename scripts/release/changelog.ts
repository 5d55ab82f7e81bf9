const UNRELEASED = /^## Unreleased\n+((?:(?!## ).*\n?)*)/m;

/**
 * Makes the entry "Unreleased" of a change log the entry of a version.
 *
 * @param date as `2026-05-03`
 * @throws Error when there is no such entry, or nothing stands in it
 */
export function datedChangelog(changelog: string, version: string, date: string): string {
  const entry = UNRELEASED.exec(changelog);
  if (entry === null || entry[1]?.trim() === '') {
    throw new Error('CHANGELOG.md has no entry "## Unreleased" that says what has changed.');
  }
  return changelog.replace('## Unreleased\n', `## ${version} (${date})\n`);
}
