import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import glob from 'fast-glob';
import {
  createRunExecutionData,
  Workflow,
  type IDataObject,
  type INodeExecutionData,
} from 'n8n-workflow';
import type { WorkflowFile, WorkflowNode } from '../../scripts/n8n/workflow';
import { startCallingService } from '../service';
import { execute } from './engine';

const PROJECT = join(__dirname, '..', '..');
const PACKAGE = 'n8n-nodes-outbound-ai-calling';
const NOTE = 'n8n-nodes-base.stickyNote';
const FORM = 'n8n-nodes-base.formTrigger';
const ENTRANCES = new Set([FORM, 'n8n-nodes-base.webhook']);

const examples = glob.sync('examples/*.json', { cwd: PROJECT, absolute: true }).map((path) => {
  const file = JSON.parse(readFileSync(path, 'utf8')) as WorkflowFile;
  return [basename(path, '.json'), file] as const;
});

interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What a node takes on the canvas; below it stand its name and what it does. */
function rectangleOf({ type, position: [left, top], parameters }: WorkflowNode): Rectangle {
  const [width, height] =
    type === NOTE ? [Number(parameters.width), Number(parameters.height)] : [100, 150];
  return { left, top, right: left + width, bottom: top + height };
}

function overlap(one: Rectangle, other: Rectangle): boolean {
  return (
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom &&
    other.top < one.bottom
  );
}

describe.each(examples)('the example %s', (_name, { nodes, pinData = {} }) => {
  it('has notes that cover neither nodes nor each other', () => {
    const notes = nodes.filter(({ type }) => type === NOTE);
    expect(notes.length).toBeGreaterThan(0);
    const covered = notes.flatMap((note) =>
      nodes
        .filter((node) => node !== note && overlap(rectangleOf(note), rectangleOf(node)))
        .map(({ name }) => `${note.name} covers ${name}`),
    );
    expect(covered).toEqual([]);
  });

  it('calls nobody before somebody has filled it in and tried it', () => {
    const SET_UP = ['trigger', 'triggerAndWait', 'schedule', 'create', 'start', 'resume'];
    const CALLING = [...SET_UP, 'placeScheduled'];
    for (const { parameters } of nodes.filter(({ type }) => type.startsWith(PACKAGE))) {
      if (!CALLING.includes(String(parameters.operation))) continue;
      const { manualExecutions, callingHours } = parameters.rules as IDataObject;
      expect(manualExecutions).toBe('dryRun');
      if (!SET_UP.includes(String(parameters.operation))) continue;
      const { hours } = callingHours as { hours: IDataObject };
      if (!('scriptId' in parameters)) continue;
      expect(parameters.scriptId).toBe('');
      expect(hours.customersTimezone).toBe(true);
    }
  });

  it('lets nobody in who does not know its header, or its password where a browser asks', () => {
    for (const { type, parameters, credentials } of nodes.filter(({ type }) =>
      ENTRANCES.has(type),
    )) {
      const isPage = type === FORM || parameters.httpMethod === 'GET';
      const lock = isPage ? 'basicAuth' : 'headerAuth';
      expect(parameters.authentication).toBe(lock);
      expect(credentials).toHaveProperty(isPage ? 'httpBasicAuth' : 'httpHeaderAuth');
    }
  });

  it('runs at once on data that is pinned', () => {
    const names = nodes.map(({ name }) => name);
    expect(Object.keys(pinData).length).toBeGreaterThan(0);
    for (const [name, items] of Object.entries(pinData)) {
      expect(names).toContain(name);
      expect(items).toEqual(items.map(() => ({ json: expect.any(Object) })));
      expect(items.length).toBeGreaterThan(0);
    }
  });
});

describe('the example scheduled-cod-campaign', () => {
  const CALL = 'Call them all';
  const WRITE = 'Write what became of them';

  /** What the example writes into the rows of orders, each an order number and a phone. */
  async function statusesOf(orders: Array<[string, string]>) {
    const { nodes, connections } = structuredClone(
      new Map(examples).get('scheduled-cod-campaign')!,
    );
    const nodeOf = (called: string) => nodes.find(({ name }) => name === called)!;
    const { value } = nodeOf(WRITE).parameters.columns as { value: { status: string } };
    const { status } = value;
    const items = orders.map(([orderNumber, phone]): INodeExecutionData => ({
      json: { orderNumber, phone },
    }));
    const service = await startCallingService();
    const { run } = await execute({
      parameters: { ...nodeOf(CALL).parameters, rules: {}, scriptId: 7 },
      items,
      settings: { onError: 'continueErrorOutput' },
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    }).finally(async () => await service.close());
    const [runs = []] = Object.values(run.data.resultData.runData);
    const workflow = new Workflow({
      nodes: nodes.map((node) => ({ id: node.name, ...node })),
      connections,
      active: false,
      nodeTypes: { getByNameAndVersion: () => ({ description: { properties: [] } }) } as never,
    });
    const data = createRunExecutionData({ resultData: { runData: { [CALL]: runs } } });
    return items.map((_, index) =>
      workflow.expression.getParameterValue(status, data, 0, index, WRITE, items, 'trigger', {}),
    );
  }

  const [phone, other] = ['+12025550101', '+12025550102'];

  it('keeps another order of a number for the next day, and not the same order once more', async () => {
    const orders: Array<[string, string]> = [
      ['A-1', phone],
      ['A-1', '+1 202 555 0101'],
      ['A-2', phone],
      ['A-3', 'x'],
      ['A-4', other],
    ];
    expect(await statusesOf(orders)).toEqual(['calling', 'calling', 'new', 'left out', 'calling']);
  });
});
