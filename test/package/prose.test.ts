import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT } from '../../scripts/n8n';

const ESLINT = join(PROJECT, 'node_modules', 'eslint', 'bin', 'eslint.js');
const words = (count: number) => 'Nobody calls, '.repeat(count / 2).trim();

/** What the lint says of a page. */
function faultsIn(page: string): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [ESLINT, '--config', 'eslint.prose.config.mjs', '--stdin', '--stdin-filename', 'docs/page.md'],
    { cwd: PROJECT, input: page, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return stdout;
}

describe('the lint of the documents', () => {
  it('finds long sentences, awkward words and doubled ones, in lists and tables too', () => {
    const cell = `| ${words(22)} | Call |\n| --- | --- |\n`;
    const page = `${words(30)}.\n\n- It is told.\n- Call the the phone.\n\n${cell}`;
    const faults = faultsIn(page);
    for (const fault of ['30 words, at most 28', '"told"', '"the the"', '22 words, at most 20']) {
      expect(faults).toContain(fault);
    }
  });

  it('finds a cell of a table that holds several sentences', () => {
    const cell = `| ${words(12)}. ${words(12)}. | Call |\n| --- | --- |\n`;
    expect(faultsIn(cell)).toContain('24 words, at most 20');
  });

  it('finds nothing in short sentences, whatever stands in code', () => {
    const code = `\`told told\`\n\n\`\`\`\n${words(60)} told\n\`\`\`\n`;
    expect(faultsIn(`${words(20)}. ${words(20)}. Run ${code}`)).toBe('');
  });
});
