import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';
import manifest from '../../package.json';
import { installPackage, sharedN8n, type SharedN8n } from '../../scripts/n8n';

/** What each operation, and the trigger, gives before it has run. */
const SCHEMAS = [
  'call/cancelScheduled',
  'call/getOutcome',
  'call/placeScheduled',
  'call/schedule',
  'call/trigger',
  'call/triggerAndWait',
  'callLog/prune',
  'callLog/report',
  'campaign/create',
  'campaign/pause',
  'campaign/resume',
  'campaign/start',
  'campaign/stop',
].map((name) => `dist/nodes/OutboundAiCalling/__schema__/v1.0.0/${name}.json`);

/** All that n8n and its users need of this package, and nothing more. */
const FILES = [
  'LICENSE',
  'README.md',
  'dist/THIRD-PARTY-LICENSES.txt',
  'dist/bundle.js',
  'dist/credentials/OutboundAiCallingApi.credentials.js',
  'dist/icons/outboundAiCalling.dark.svg',
  'dist/icons/outboundAiCalling.svg',
  'dist/libraries/csv-parse/sync.js',
  'dist/libraries/libphonenumber-js/core.js',
  'dist/nodes/OutboundAiCalling/OutboundAiCalling.node.js',
  'dist/nodes/OutboundAiCalling/OutboundAiCalling.node.json',
  'dist/nodes/OutboundAiCalling/OutboundAiCallingTrigger.node.js',
  'dist/nodes/OutboundAiCalling/OutboundAiCallingTrigger.node.json',
  'dist/nodes/OutboundAiCalling/__schema__/v1.0.0.json',
  ...SCHEMAS,
  'dist/phoneMetadata.json',
  'package.json',
];

let n8n: SharedN8n;
/** That of an n8n that is not started: it is there for its files. */
let userFolder: string;
let packages: string;
beforeAll(async () => {
  userFolder = await mkdtemp(join(tmpdir(), 'n8n-outbound-'));
  await installPackage(userFolder);
  packages = join(userFolder, '.n8n', 'nodes', 'node_modules');
  n8n = await sharedN8n();
});
afterAll(async () => {
  await rm(userFolder, { recursive: true, force: true });
});

describe('the packed archive, installed in n8n', () => {
  it('brings the files that are needed, and no others', async () => {
    const folder = join(packages, manifest.name);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    expect(paths.sort()).toEqual([...FILES].sort());
  });

  it('brings no other package along', async () => {
    const installed = (await readdir(packages)).filter((name) => !name.startsWith('.'));
    expect(installed).toEqual([manifest.name]);
  });

  describe('gives n8n two nodes', () => {
    let types: INodeTypeDescription[];
    beforeAll(async () => {
      types = (await n8n.client.nodeTypes()).filter(({ name }) =>
        name.startsWith(`${manifest.name}.`),
      );
    });

    it('by their names', () => {
      // n8n adds a form of the action node for AI agents.
      expect(types.map(({ name }) => name.replace(`${manifest.name}.`, '')).sort()).toEqual([
        'outboundAiCalling',
        'outboundAiCallingTool',
        'outboundAiCallingTrigger',
      ]);
    });

    it('with icons that n8n serves', async () => {
      for (const { iconUrl } of types) {
        const urls = typeof iconUrl === 'object' ? Object.values(iconUrl) : [iconUrl];
        expect(urls).toHaveLength(2);
        for (const url of urls) {
          const icon = await fetch(new URL(String(url), n8n.client.baseUrl));
          expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
        }
      }
    });

    it('with the documentation that package.json names', () => {
      for (const { codex } of types.filter(({ name }) => !name.endsWith('Tool'))) {
        expect(codex?.resources?.primaryDocumentation).toEqual([{ url: manifest.homepage }]);
      }
    });
  });
});
