import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps PostgreSQL's programs off the path, a folder for each version. */
const POSTGRESQL = '/usr/lib/postgresql';

/** Whether a program is on the path. */
export function isOnPath(program: string): boolean {
  const places = (process.env.PATH ?? '').split(delimiter);
  return places.some((place) => existsSync(join(place, program)));
}

/** The folder with PostgreSQL's programs, of the newest version; undefined when there is none. */
export function postgresqlPrograms(): string | undefined {
  const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(POSTGRESQL, version, 'bin'))
    .find((programs) => existsSync(join(programs, 'initdb')));
}
