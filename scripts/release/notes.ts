/** Prints what the change log says of a version: the text of its release on GitHub. */
import { readFileSync } from 'node:fs';
import { notesOf } from './changelog';

const [, , version = ''] = process.argv;
process.stdout.write(notesOf(readFileSync('CHANGELOG.md', 'utf8'), version));
