import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmStart } from './npmStart';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'npm-start-'));
});
afterEach(async () => await rm(directory, { recursive: true }));

describe('npm start', () => {
  it('tells how to call with the emulated service, and ends on SIGINT to npm', async () => {
    const npm = await npmStart(directory, '--orders', '1', '--n8n', 'reference');
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
