import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IConnections } from 'n8n-workflow';
import { stringify } from 'csv-stringify/sync';
import { familyOf, residentBytes, type PreparedN8n, type WorkflowNode } from '../../scripts/n8n';
import { rowReader } from '../../nodes/OutboundAiCalling/contacts/contact';
import { readContactList } from '../../nodes/OutboundAiCalling/contacts/contactList';
import { decodeCsvFile, readCsv } from '../../nodes/OutboundAiCalling/contacts/csv';
import { startCallingService, type CallingService } from '../service';
import type { Blocks, LongestBlock } from './blocks';

const CONTACTS = 100_000;
const PER_CAMPAIGN = 2000;
/** One row in so many has no usable number. */
const BAD_ROW_EVERY = 100;
const LOOK_EVERY_MS = 25;
/** Whatever else the machine does lengthens a block, so the median of some runs is told. */
const RUNS = 3;

/** A list as shops export it: quotes, commas in names, and numbers that nobody can call. */
function contactsCsv(): string {
  const rows = Array.from({ length: CONTACTS }, (_, index) => ({
    phone_number:
      index % BAD_ROW_EVERY === 0
        ? 'n/a'
        : `+1${201 + Math.floor(index / 1000)}555${1000 + (index % 1000)}`,
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

/** The same with what n8n brings: no check of numbers, and bad rows go along. */
function theirWorkflow(url: string, { baseUrl }: CallingService) {
  const nodes: WorkflowNode[] = [
    ...start(url),
    {
      // What Extract from File runs for CSV; that node itself asks for a peer that is not installed.
      name: 'Rows',
      type: 'n8n-nodes-base.spreadsheetFile',
      typeVersion: 2,
      position: [400, 0],
      parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
    },
    {
      name: 'Loop',
      type: 'n8n-nodes-base.splitInBatches',
      typeVersion: 3,
      position: [600, 0],
      parameters: { batchSize: PER_CAMPAIGN, options: {} },
    },
    {
      name: 'Create',
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      position: [800, 0],
      executeOnce: true,
      parameters: {
        method: 'POST',
        url: `${baseUrl}/api/v1/campaigns`,
        sendHeaders: true,
        headerParameters: { parameters: [{ name: 'X-API-Key', value: 'test-key' }] },
        sendBody: true,
        specifyBody: 'json',
        jsonBody:
          '={{ { scriptId: 7, contacts: $input.all().map((item) => ({ customerPhone: item.json.phone_number, customerName: item.json.name, orderNumber: item.json.orderNumber })) } }}',
        options: {},
      },
    },
  ];
  const connections: IConnections = {
    ...link('Start', 'File', 'Rows', 'Loop'),
    Loop: { main: [[], [{ node: 'Create', type: 'main', index: 0 }]] },
    Create: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
  };
  return { nodes, connections };
}

/** Reads the list in this process, where nothing else blocks the event loop. */
async function readAlone(csv: Buffer): Promise<{ ms: number; blockMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  const reading = readCsv(await decodeCsvFile(csv));
  if ('objection' in reading) throw new Error(reading.objection);
  const read = rowReader('phone_number');
  function* contacts() {
    if ('rows' in reading) for (const row of reading.rows) yield read(row);
  }
  const list = await readContactList(contacts(), { removeDuplicates: false });
  const ms = performance.now() - startedAt;
  if (list.contacts.length === 0) throw new Error('No contact was read');
  await sleep(10);
  delay.disable();
  return { ms, blockMs: delay.max / 1e6 };
}

interface Measure {
  ms: number;
  peakMb: number;
  block: LongestBlock;
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/**
 * Runs a workflow in a freshly started n8n: the memory of the first run, and the medians of all.
 *
 * @param campaigns how many it is to create
 */
async function measure(
  n8n: PreparedN8n,
  blocks: Blocks,
  service: CallingService,
  workflow: { nodes: WorkflowNode[]; connections: IConnections },
  campaigns: number,
): Promise<Measure> {
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
    runs.push({ ms, peakMb: (peak - idle) / 2 ** 20, block: await blocks.longest() });
  }
  return {
    ms: median(runs.map(({ ms }) => ms)),
    peakMb: runs[0]?.peakMb ?? NaN,
    block: {
      onClockMs: median(runs.map(({ block }) => block.onClockMs)),
      onProcessorMs: median(runs.map(({ block }) => block.onProcessorMs)),
    },
  };
}

/** A CSV file of 100,000 contacts to 50 campaigns, beside the same made of n8n's own nodes. */
export async function benchCampaign(n8n: PreparedN8n, blocks: Blocks): Promise<string[][]> {
  const service = await startCallingService();
  const csv = contactsCsv();
  const { server, url } = await serve(csv);
  try {
    const credential = await n8n.client.createCredential('Service', 'outboundAiCallingApi', {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
    });
    const campaigns = CONTACTS / PER_CAMPAIGN;
    const ours = await measure(n8n, blocks, service, ourWorkflow(url, credential), campaigns);
    const theirs = await measure(n8n, blocks, service, theirWorkflow(url, service), campaigns);
    const idle = await measure(n8n, blocks, service, idleWorkflow(url), 0);
    const readings: Array<Awaited<ReturnType<typeof readAlone>>> = [];
    for (let run = 0; run < RUNS; run++) readings.push(await readAlone(Buffer.from(csv)));
    const reading = {
      ms: median(readings.map(({ ms }) => ms)),
      blockMs: median(readings.map(({ blockMs }) => blockMs)),
    };
    const row = (name: string, { ms, peakMb, block }: Measure) => [
      name,
      `${ms} ms`,
      (ms / ours.ms).toFixed(1),
      `${peakMb.toFixed(0)} MB`,
      `${block.onClockMs.toFixed(0)} ms`,
      `${block.onProcessorMs.toFixed(0)} ms`,
    ];
    return [
      [
        '100,000 contacts by',
        'time',
        '÷ this node',
        'peak above idle',
        'longest block',
        'on the processor',
      ],
      row('this node', ours),
      row('Spreadsheet File, Loop, HTTP Request', theirs),
      row("No Operation: what is n8n's own", idle),
      [
        'reading alone, outside of n8n',
        `${reading.ms.toFixed(0)} ms`,
        (reading.ms / ours.ms).toFixed(1),
        '',
        `${reading.blockMs.toFixed(0)} ms`,
        '',
      ],
    ];
  } finally {
    server.close();
    await service.close();
  }
}
