import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { OutboundAiCallingApi } from '../../credentials/OutboundAiCallingApi.credentials';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { OutboundAiCallingTrigger } from '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';

const PROJECT = join(__dirname, '..', '..');
const NODES = join(PROJECT, 'nodes', 'OutboundAiCalling');

/** Longer, n8n cuts a line off, and a tooltip hides what it is about. */
const LONGEST_HINT = 120;
const LONGEST_DESCRIPTION = 260;

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

interface Told {
  path: string;
  hint?: string;
  description?: string;
}

/** Every field, choice and entry of a panel, with what is written at it. */
function* told(entries: Entry[], above = ''): Generator<Told> {
  for (const entry of entries) {
    const path = `${above}/${entry.name}`;
    const { hint, description }: Omit<Told, 'path'> = 'values' in entry ? {} : entry;
    yield { path, hint, description };
    if ('options' in entry) yield* told(entry.options ?? [], path);
    if ('values' in entry) yield* told(entry.values, path);
    if ('modes' in entry)
      yield* (entry.modes ?? []).map(({ name, hint: line }) => ({
        path: `${path}/${name}`,
        hint: line,
      }));
  }
}

const panels: Array<[string, INodeProperties[]]> = [
  ['node', new OutboundAiCalling().description.properties],
  ['trigger', new OutboundAiCallingTrigger().description.properties],
  ['credential', new OutboundAiCallingApi().properties],
];

describe.each(panels)('the panel of the %s', (_name, properties) => {
  const all = [...told(properties)];

  it('has hints of one line', () => {
    const long = all.filter(({ hint = '' }) => hint.length > LONGEST_HINT);
    expect(long.map(({ path, hint }) => `${path} (${hint?.length}): ${hint}`)).toEqual([]);
  });

  it('has descriptions that can be read at a glance', () => {
    const long = all.filter(({ description = '' }) => description.length > LONGEST_DESCRIPTION);
    expect(long.map(({ path, description }) => `${path} (${description?.length})`)).toEqual([]);
  });
});

describe('the words of the node', () => {
  it('name its actions without articles', () => {
    const actions = new OutboundAiCalling().description.properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options = [] }) =>
        (options as INodePropertyOptions[]).map(({ action = '' }) => action),
      );
    expect(actions.length).toBeGreaterThan(9);
    expect(actions.filter((action) => action === '' || /\b(a|an|the)\b/i.test(action))).toEqual([]);
  });

  it('begin with no script: a new node asks for its number', () => {
    const scripts = new OutboundAiCalling().description.properties.filter(
      ({ name }) => name === 'scriptId',
    );
    expect(scripts.map((field) => field.default)).toEqual(scripts.map(() => ''));
  });
});

/** The anchors that a Markdown file offers, as GitHub makes them. */
function anchorsIn(markdown: string): string[] {
  const headings = markdown.match(/^#+ .+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-'),
  );
}

describe('the links of nodes and credentials', () => {
  it('lead to headings that the README has', async () => {
    const anchors = [...anchorsIn(await readFile(join(PROJECT, 'README.md'), 'utf8')), 'readme'];
    const shown = JSON.stringify(panels) + new OutboundAiCallingApi().documentationUrl;
    const links = shown.match(/https:\/\/github\.com[^"'<\s]+/g);
    expect(links?.length).toBeGreaterThan(0);
    // The build puts this one into the codex of both nodes.
    expect(anchors).toContain('credentials');
    for (const link of links ?? []) expect(anchors).toContain(link.split('#')[1]);
  });

  it.each(['OutboundAiCalling', 'OutboundAiCallingTrigger'])(
    'lead to %s by the words that people search for',
    async (name) => {
      const codex = JSON.parse(await readFile(join(NODES, `${name}.node.json`), 'utf8')) as {
        alias: string[];
      };
      for (const words of ['confirm order', 'phone call', 'cash on delivery']) {
        expect(codex.alias).toContain(words);
      }
    },
  );
});
