import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../scripts/n8n';

/** Runs the project's own `npm start` in an empty directory; it installs no libraries. */
export async function npmStart(directory: string, ...options: string[]) {
  const { scripts } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const start = scripts.start
    .replace('node scripts/setup.mjs', 'true')
    .replace('scripts/start.ts', join(PROJECT, 'scripts', 'start.ts'));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ scripts: { start } }));
  const path = `${join(PROJECT, 'node_modules', '.bin')}:${process.env.PATH}`;
  return spawn('npm', ['start', '--silent', '--', ...options], {
    cwd: directory,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
