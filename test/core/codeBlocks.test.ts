import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import glob from 'fast-glob';
import type { IDataObject } from 'n8n-workflow';
import manifest from '../../package.json';
import { codeBlocksOf, missingIn, PAGES, type CodeBlock } from '../documents';
import { execute, jsonOf } from './engine';
import { callSampleOrders, type SampleOrders } from './sampleOrders';
import { useServiceAndTables } from './serviceAndTables';
import { faultsOfCommands, installedAfter } from './shellBlocks';
import { publishWatch } from './watchedLog';

const SOURCE = join(__dirname, '..', '..', 'nodes', 'OutboundAiCalling');

/** With the key that the pages write; nobody answers. */
const world = useServiceAndTables({
  apiKeys: ['test-key', 'YOUR_KEY'],
  speed: 1000,
  outcomeFor: () => ({ status: 'failed' }),
});
let sample: SampleOrders;
beforeAll(async () => {
  sample = await callSampleOrders();
});

/** Runs an operation on a call for one order. */
const run = async (operation: string, parameters: IDataObject = {}, credential: IDataObject = {}) =>
  await execute({
    parameters: {
      ...{ resource: 'call', operation, scriptId: 7, customerPhone: '+12025550114' },
      additionalFields: { orderNumber: 'A-1001' },
      callLogTable: { mode: 'name', value: 'Calls' },
      ...parameters,
    },
    items: [{ json: { phone: '2025550114' } }],
    credential: { ...world.credential(), ...credential },
  });
const BLOCKS = PAGES.flatMap(codeBlocksOf);
const linesOf = ({ text }: CodeBlock) => text.split('\n');

/** What the emulated service answers to a request that a page shows for curl. */
async function answerTo(curl: string): Promise<IDataObject> {
  const [, url = ''] = / (https:\S+)/.exec(curl) ?? [];
  const [, body] = / -d '(.+)'/.exec(curl) ?? [];
  const headers = [...curl.matchAll(/ -H '(.+?): (.+?)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const response = await fetch(`${world.service.baseUrl}${new URL(url).pathname}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  });
  return (await response.json()) as IDataObject;
}

/** `A → B, C`: nothing imports from a folder further to the left. */
function importsFollow(diagram: string): void {
  const steps = diagram.split('→').map((step) => step.split(',').map((name) => name.trim()));
  const stepOf = (folder: string) => steps.findIndex((names) => names.includes(folder));
  const folders = glob.sync('*', { cwd: SOURCE, onlyDirectories: true });
  expect(steps.flat().sort()).toEqual(['nodes', ...folders].sort());
  for (const file of glob.sync(['*/**/*.ts'], { cwd: SOURCE })) {
    const [folder = ''] = file.split('/');
    const text = readFileSync(join(SOURCE, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const [to = ''] = relative(SOURCE, join(SOURCE, file, '..', path)).split('/');
      const goesOn = !folders.includes(to) || stepOf(to) >= stepOf(folder);
      expect({ file, to, goesOn }).toEqual({ file, to, goesOn: true });
    }
  }
}

/** What a page says of each operation with a scheduled call, and what shows that it is so. */
async function scheduledCallGoes(lines: string[]): Promise<void> {
  const retry = { plan: { outcomes: 'no_answer', afterMinutes: '30' } };
  const place = async () =>
    await run('placeScheduled', { options: { keepOnSeconds: 0, firstCheckAfterSeconds: 0 } });
  const rows = () => world.tables.rowsOf('Calls').map(({ status, attempt }) => [status, attempt]);
  const trigger = publishWatch({ ...world, table: 'Calls' });
  const steps: Array<[string, () => Promise<void>]> = [
    [
      'Schedule Call: a row "scheduled" for each call; nobody is called yet',
      async () => {
        await trigger.poll();
        await run('schedule', { options: { retry } });
        expect(rows()).toEqual([['scheduled', 1]]);
        expect(world.service.seen.calls).toEqual([]);
      },
    ],
    [
      'Place Scheduled Calls: calls what is due, looks for outcomes, writes second attempts',
      async () => {
        await place();
        expect(world.service.seen.calls).toHaveLength(1);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await place();
        expect(rows()).toEqual([
          ['failed', 1],
          ['scheduled', 2],
        ]);
      },
    ],
    [
      'Outbound AI Calling Trigger: the outcome, with attempt and nextAttemptAt',
      async () => {
        await trigger.poll();
        expect(trigger.fired).toMatchObject([
          { outcomeKey: 'no_answer', attempt: 1, nextAttemptAt: expect.any(String) },
        ]);
      },
    ],
    [
      'Cancel Scheduled Calls: nobody is called any more for that order',
      async () => {
        await run('cancelScheduled', { cancelBy: 'orderNumber', cancelValue: 'A-1001' });
        for (const row of world.tables.rowsOf('Calls')) row.runAt = 0;
        await place();
        expect(world.service.seen.calls).toHaveLength(1);
      },
    ],
  ];
  const said = lines.map((line) => line.replace(/^.*→ +(.+?) {2,}/, '$1: '));
  expect(said).toEqual(steps.map(([what]) => what));
  for (const [, happens] of steps) await happens();
}

const commandsWork = ({ text }: CodeBlock) => expect(faultsOfCommands(text)).toEqual([]);

/** What makes a block, or runs it: by the page and heading under which it stands. Other commands are looked up. */
const CHECKS: Record<string, (block: CodeBlock) => Promise<void> | void> = {
  'README.md, Try it in one command': (block) =>
    block.language === 'sh'
      ? commandsWork(block)
      : expect(missingIn(sample.lines, block)).toEqual([]),
  'README.md, Install': async ({ text }) =>
    expect(await installedAfter(text)).toBe(manifest.version),
  'README.md, Uninstall': async ({ text }) => {
    const [install] = BLOCKS.filter(({ heading }) => heading === 'Install');
    expect(await installedAfter(`(${install?.text})\n${text}`)).toBeUndefined();
  },
  'docs/architecture.md, Architecture': ({ text }) => importsFollow(text),
  'docs/errors.md, Errors, and what to do': async ({ text }) => {
    const { error } = await run('trigger', {}, { apiKey: 'mistyped' });
    expect(error?.message).toBe(text);
  },
  'docs/interface.md, What your calling service must offer': async ({ language, text }) => {
    const [request] = BLOCKS.filter((one) => one.page === 'docs/interface.md');
    const answer = await answerTo(request?.text ?? '');
    expect(answer.success).toBe(false);
    if (language === 'json') expect(answer).toEqual(JSON.parse(text));
    expect(world.service.seen.calls).toEqual([]);
  },
  'docs/interface.md, Headers and answers': async (block) => {
    for (const headerForm of ['bearer', 'xApiKey']) {
      const placed = await run('trigger', {}, { apiKey: 'YOUR_KEY', headerForm });
      expect(jsonOf(placed)).toMatchObject([{ callStatus: 'in_progress' }]);
    }
    const headers = linesOf(block).map((line) => line.split(': ') as [string, string]);
    const sent = world.service.seen.received.map((request) => request.headers);
    expect(sent).toMatchObject(headers.map(([name, value]) => ({ [name.toLowerCase()]: value })));
  },
  'docs/phone-numbers.md, Phone numbers: whose number it is': async ({ text }) => {
    const placed = await run('trigger', { customerPhone: `=${text}` });
    expect(jsonOf(placed)).toMatchObject([{ customerPhone: '+12025550114' }]);
  },
  'docs/scheduled-calls.md, Scheduled calls': async (block) =>
    await scheduledCallGoes(linesOf(block)),
  'docs/trigger.md, The trigger': ({ text }) =>
    expect(sample.fired).toContainEqual(expect.objectContaining(JSON.parse(text) as IDataObject)),
};

const placeOf = ({ page, heading }: CodeBlock) => `${page}, ${heading}`;

describe('a code block', () => {
  it.each(BLOCKS.map((block) => [placeOf(block), block] as const))(
    'shows what is so: %s',
    async (place, block) => {
      const check = CHECKS[place] ?? (block.language === 'sh' ? commandsWork : undefined);
      if (check === undefined) throw new Error('Nothing makes or runs this block');
      await check(block);
      expect.hasAssertions();
    },
  );

  it('is there for every check', () => {
    const places = BLOCKS.map(placeOf);
    expect(Object.keys(CHECKS).filter((place) => !places.includes(place))).toEqual([]);
  });

  it('is found faulty when its command does not work, or has no check', () => {
    const block = 'npm run nothing && npm start # now\nrm -rf .';
    expect(faultsOfCommands(block)).toEqual(['npm run nothing', 'rm -rf .']);
  });
});
