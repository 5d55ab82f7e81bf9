import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import glob from 'fast-glob';

const PROJECT = join(__dirname, '..');

/** What a page shows in a fence. */
export interface CodeBlock {
  page: string;
  /** The nearest heading above. */
  heading: string;
  /** After the fence; empty when nothing stands there. */
  language: string;
  text: string;
}

/** The documents that people read. */
export const PAGES = glob.sync(['*.md', 'docs/*.md'], { cwd: PROJECT }).sort();

/** The text of a page. */
export function textOfPage(page: string): string {
  return readFileSync(join(PROJECT, page), 'utf8');
}

/** Every code block of a page, in its order. */
export function codeBlocksOf(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  let open: { fence: string; language: string; lines: string[] } | undefined;
  for (const line of textOfPage(page).split('\n')) {
    const [, fence = '', language = ''] = /^[\s>]*(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
      if (fence !== '') open = { fence, language, lines: [] };
    } else if (fence.startsWith(open.fence) && language === '') {
      const { language: of, lines } = open;
      blocks.push({ page, heading, language: of, text: lines.join('\n') });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) throw new Error(`${page} has a fence that nothing closes`);
  return blocks;
}

/** Every text of a page within backticks, outside of code blocks. */
export function inlineCodeOf(page: string): string[] {
  const prose = textOfPage(page).replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
}

/**
 * The lines of a block that an output does not have, in their order. `…` stands for what the page
 * omits; how many orders have ended at a line is a matter of time.
 */
export function missingIn(output: string[], { text }: CodeBlock): string[] {
  const comparable = (line: string) => line.replace(/^ *\d+\/(\d+ )/, '$1').trimEnd();
  let at = 0;
  return text.split('\n').filter((line) => {
    if (line === '…') return false;
    const start = comparable(line).replace(/ …$/, '');
    const fits = (one: string) =>
      line.endsWith(' …') ? one.startsWith(start) : comparable(one) === start;
    const place = output.slice(at).findIndex(fits);
    at += place + 1;
    return place === -1;
  });
}
