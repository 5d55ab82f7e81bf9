import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../scripts/n8n';
import { codeBlocksOf, missingIn } from '../documents';
import { npmStart } from './npmStart';

describe('npm start -- --once', () => {
  it('calls the sample orders and prints what the README shows', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'npm-start-'));
    const orders = join(PROJECT, 'examples', 'data', 'orders.json');
    const options = ['--once', '--n8n', 'reference', '--orders', orders];
    const npm = await npmStart(directory, ...options);
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [exitCode] = (await once(npm, 'close')) as [number];
    await rm(directory, { recursive: true });
    const shown = codeBlocksOf('README.md').filter(({ language }) => language === 'text');
    expect(shown).toHaveLength(1);
    expect(shown.flatMap((block) => missingIn(output.split('\n'), block))).toEqual([]);
    expect(exitCode).toBe(0);
  });
});
