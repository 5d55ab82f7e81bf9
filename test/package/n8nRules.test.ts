import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json';
import { PROJECT } from '../../scripts/n8n';
import { unpackedPackage } from './unpacked';

const SCAN = join(__dirname, 'scan.mjs');
const TEMPLATE = 'node_modules/@n8n/node-cli/dist/template/templates/shared/default';

/** The scanner in a process of its own, as n8n runs it: some of its rules differ in tests. */
async function scan(leg: 'source' | 'packed', folder: string): Promise<Record<string, unknown>> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const { stdout } = await promisify(execFile)(process.execPath, [SCAN, leg, folder], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const made: string[] = [];
async function keep(folder: Promise<string>): Promise<string> {
  made.push(await folder);
  return await folder;
}
afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});

describe("the scanner of n8n's reviewers, with inline exceptions off", () => {
  it('finds nothing in the source', async () => {
    expect(await scan('source', PROJECT)).toEqual({ passed: true });
  });

  it('finds nothing in the packed files', async () => {
    expect(await scan('packed', await keep(unpackedPackage()))).toEqual({ passed: true });
  });

  it('finds in packed files what is not allowed', async () => {
    const folder = await keep(mkdtemp(join(tmpdir(), 'outbound-packed-')));
    await cp(join(PROJECT, 'package.json'), join(folder, 'package.json'));
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist', 'more.js'), 'setTimeout(() => {}, 1);');
    expect(await scan('packed', folder)).toMatchObject({
      passed: false,
      details: expect.stringMatching(/no-restricted-globals/),
    });
  });

  it('finds in the source what is not allowed, also where a comment excepts it', async () => {
    const folder = await keep(mkdtemp(join(tmpdir(), 'outbound-source-')));
    const changed = { ...manifest, overrides: { luxon: '1.0.0' } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(changed));
    const node = join('nodes', 'OutboundAiCalling', 'OutboundAiCalling.node.ts');
    const source = await readFile(join(PROJECT, node), 'utf8');
    const excepted = source
      .replace(
        'properties: [',
        "properties: [{ displayName: 'Planted', name: 'x', type: 'string' },",
      )
      .concat('// eslint-disable-next-line\nsetTimeout(() => {}, 1);\n');
    expect(excepted).toContain('Planted');
    await mkdir(join(folder, dirname(node)), { recursive: true });
    await writeFile(join(folder, node), excepted);
    const { passed, details } = await scan('source', folder);
    expect(passed).toBe(false);
    for (const rule of ['no-overrides-field', 'no-restricted-globals', 'param-default-missing']) {
      expect(details).toContain(rule);
    }
  });
});

describe('eslint.config.mjs', () => {
  it("is what n8n's command line demands in strict mode, to the letter", async () => {
    expect(manifest.n8n.strict).toBe(true);
    const [ours, demanded] = await Promise.all(
      [PROJECT, join(PROJECT, TEMPLATE)].map(
        async (folder) => await readFile(join(folder, 'eslint.config.mjs'), 'utf8'),
      ),
    );
    expect(ours).toBe(demanded);
  });
});
