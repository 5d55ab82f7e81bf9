import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../scripts/n8n';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'npm-start-'));
});
afterEach(async () => await rm(directory, { recursive: true }));

/** The project's own `npm start`, but that it installs nothing. */
async function npmStart(...options: string[]) {
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

describe('npm start', () => {
  it('tells how to call with the emulated service, and ends on SIGINT to npm', async () => {
    const npm = await npmStart('--orders', '1', '--n8n', 'reference');
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    // Closed when nobody is left who could write: npm, and what it has started.
    const closed = once(npm.stdout, 'close');
    while (!output.includes('Script IDs')) await once(npm.stdout, 'data');
    expect(output).toMatch(/Base URL: http:\/\/127\.0\.0\.1:\d+ {3}API key: test-key/);
    expect(output).toContain('12 (needs brand_name and order_amount)');
    npm.kill('SIGINT');
    await closed;
  });
});
