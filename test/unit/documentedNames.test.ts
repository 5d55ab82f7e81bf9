import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import glob from 'fast-glob';
import { OutboundAiCallingApi } from '../../credentials/OutboundAiCallingApi.credentials';
import { SCOPES } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { OutboundAiCallingTrigger } from '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import {
  mayCallAnyway,
  campaignsCalling,
  mayStillCall,
  NOBODY_CALLED_BY_READING,
  NOBODY_CALLED_HERE,
  NOBODY_CALLED_YET,
  peopleCalled,
} from '../../nodes/OutboundAiCalling/nodeError';
import { inlineCodeOf, PAGES, textOfPage } from '../documents';

const PROJECT = join(__dirname, '..', '..');

/** All text of the nodes. */
const CODE = glob
  .sync('nodes/**/*.ts', { cwd: PROJECT, absolute: true })
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** Names in n8n's own screens, which its documentation writes so. */
const OF_N8N = new Set([
  ...['…', 'Settings', 'Community nodes', 'Install', 'Uninstall package', 'n8n API', 'Create'],
  ...['Expiration', 'Scopes', 'Data tables', 'Download CSV', 'Import', 'From file'],
  ...['Execute step', 'Execute workflow', 'Fetch Test Event', 'Error Workflow', 'Tool Description'],
  ...['Always Output Data', 'Retry On Fail', 'from the list'],
  ...['Remove Duplicates', 'Clear Deduplication History'],
]);

/** Every name of a field, option or operation in the panels, without its unit. */
function namesInPanels(): Set<string> {
  const names = new Set<string>();
  const collect = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { displayName, name, action } = part as Record<string, unknown>;
    for (const one of [displayName, name, action]) {
      if (typeof one === 'string') names.add(one.replace(/ \((?:Hours|Minutes|Seconds)\)$/, ''));
    }
    for (const inner of Object.values(part)) collect(inner);
  };
  const { description } = new OutboundAiCalling();
  [description, new OutboundAiCallingTrigger().description, new OutboundAiCallingApi()].map(
    collect,
  );
  return names;
}

/** What a page says in bold within a sentence; what begins a paragraph is a heading of it. */
function boldNamesOf(page: string): string[] {
  const inSentences = [...textOfPage(page).matchAll(/(?<=[\w(,;] |\| )\*\*([^*`]+)\*\*/g)];
  return inSentences
    .flatMap(([, bold = '']) => bold.replace(/\s+/g, ' ').split(/ > |: /))
    .filter((name) => /^[A-Z…]/.test(name) && !/[.:]$|_|.…/.test(name));
}

describe('a name in a page', () => {
  const panels = namesInPanels();

  it.each(PAGES.filter((page) => /^(?:README|docs\/)/.test(page)))(
    'in bold stands in a panel, or in n8n: %s',
    (page) => {
      const unknown = boldNamesOf(page).filter((name) => !panels.has(name) && !OF_N8N.has(name));
      expect(unknown).toEqual([]);
    },
  );

  it.each(PAGES)(
    'in a table of fields, options, rules or operations stands in a panel: %s',
    (page) => {
      const tables = textOfPage(page)
        .split(/^\| (?:Field|Option|Rule|Operation|Choice) /m)
        .slice(1);
      const cells = tables.flatMap((table) => {
        const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2);
        return rows.map((row) => (row.split('|')[1] ?? '').replace(/ \([^)]*\)/g, '').trim());
      });
      const unknown = cells.flatMap((cell) => cell.split(', ')).filter((name) => !panels.has(name));
      expect(unknown).toEqual([]);
    },
  );

  it('is every scope that the n8n API key needs', () => {
    const named = inlineCodeOf('README.md').filter((code) => /^dataTable\w*:/.test(code));
    expect(named.sort()).toEqual([...SCOPES].sort());
  });

  it('is every column of the call log', () => {
    const [, table = ''] = textOfPage('docs/call-log.md').split('## Its columns');
    const rows = table
      .split(/^\| `status` +\|/m)[0]
      ?.split('\n')
      .filter((row) => row.startsWith('| `'));
    const named = (rows ?? []).flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(named.sort()).toEqual(LOG_COLUMNS.map(({ name }) => name).sort());
  });
});

describe('a name in the architecture', () => {
  it('is in the code', () => {
    const named = inlineCodeOf('docs/architecture.md').filter((code) =>
      /^\w+(?:\.\w+)?$/.test(code),
    );
    const parts = named.flatMap((name) => name.split('.')).filter((part) => part !== 'ts');
    const words = new Set(CODE.match(/\w+/g));
    const paths = glob.sync(['nodes/**/*.ts', 'test/simulation/**/*.ts'], { cwd: PROJECT });
    const inPaths = paths.flatMap((path) => path.replace(/\.ts$/, '').split('/'));
    const there = new Set([...words, ...inPaths]);
    expect(parts.filter((part) => !there.has(part))).toEqual([]);
  });
});

describe('an error in a page', () => {
  /** What the nodes may say: a value in it is `…`. */
  const said = CODE.replace(/['`] \+\s+['`]/g, '').replace(/\$\{[^}]*\}/g, '…');
  const NONE = { orderIds: [], maybePlaced: 0 };
  const beginnings = [
    ...[NOBODY_CALLED_HERE, NOBODY_CALLED_BY_READING, NOBODY_CALLED_YET, mayCallAnyway(1)],
    ...[mayStillCall(1, 1), mayStillCall(2, 4), campaignsCalling(2)],
    ...[peopleCalled(NONE, NONE), peopleCalled({ orderIds: [], maybePlaced: 1 }, NONE)],
    ...[peopleCalled({ orderIds: [1, 2, 3], maybePlaced: 1 }, NONE)],
    ...[peopleCalled(NONE, { orderIds: [1], maybePlaced: 0 })],
  ].map((called) => `${called}.`);
  const cells = textOfPage('docs/errors.md')
    .split('## What is sent again')[0]
    ?.split('\n')
    .filter((line) => /^\| (?!Error|Begins|-)/.test(line))
    .map((line) => (line.split('|')[1] ?? '').trim());

  it.each(cells ?? [])('is what a node says: %s', (cell) => {
    const parts = cell
      .replace(/\.$/, '')
      .split(/ ?(?:…|\(.*\)|\/|\d+) ?/)
      .filter((part) => part !== '');
    const isBeginning = beginnings.includes(cell);
    expect(isBeginning ? [] : parts.filter((part) => !said.includes(part))).toEqual([]);
  });
});
