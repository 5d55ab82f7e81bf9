import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { WorkflowFile } from '../../scripts/n8n/workflow';
import { Cleanup } from '../../scripts/start/cleanup';
import { EMULATED_SCRIPT, startEmulatedService } from '../../scripts/start/demo';
import { attemptsByCall, resultOf, type CallResult } from '../../scripts/start/following';
import { readOrders } from '../../scripts/start/orders';
import { callsLine, outcomesLine, resultLine, resultTable } from '../../scripts/start/report';
import { ofEmulation } from '../../scripts/start/workflows';
import { startDataTablesServer } from '../dataTables/dataTablesServer';
import { execute, jsonOf } from './engine';
import { Publication } from './triggerEngine';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
/** Each is a minute: every order has had its calls long before. */
const MOST_ROUNDS = 20;

/** What `npm start` does with the sample orders. */
export interface SampleOrders {
  /** What it prints of them. */
  lines: string[];
  /** What the trigger gave. */
  fired: IDataObject[];
}

/** A workflow file, of which single nodes are run. */
class Example {
  constructor(private readonly file: WorkflowFile) {}

  /** The parameters of a node, with the expressions of a file that n8n reads. */
  parametersOf(name: string): IDataObject {
    const node = this.file.nodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`The example has no node "${name}"`);
    return node.parameters as IDataObject;
  }

  /** What the Switch node and the node behind its output say of an outcome. */
  decisionOn(outcomeKey: unknown): string {
    const { rules } = this.parametersOf('Which answer?') as {
      rules: { values: Array<{ conditions: { conditions: Array<{ rightValue: unknown }> } }> };
    };
    const outputs = rules.values.map(({ conditions }) =>
      conditions.conditions.map(({ rightValue }) => rightValue),
    );
    const output = outputs.findIndex((keys) => keys.includes(outcomeKey));
    const next = this.file.connections['Which answer?']?.main ?? [];
    const [to] = (output === -1 ? next.at(-1) : next[output]) ?? [];
    const { assignments } = this.parametersOf(String(to?.node)) as {
      assignments: { assignments: Array<{ name: string; value: string }> };
    };
    return String(assignments.assignments.find(({ name }) => name === 'decision')?.value);
  }
}

/**
 * Does with the sample orders what `npm start` does: the same emulated service, the same workflow and
 * the same words, with n8n's engine in place of a whole n8n.
 */
export async function callSampleOrders(): Promise<SampleOrders> {
  const cleanup = new Cleanup();
  const tables = await startDataTablesServer();
  cleanup.add(async () => await tables.close());
  try {
    const orders = await readOrders(join(EXAMPLES, 'data', 'orders.json'));
    const service = await startEmulatedService(cleanup, orders);
    const text = readFileSync(join(EXAMPLES, 'order-call-with-attempts.json'), 'utf8');
    const example = new Example(ofEmulation(JSON.parse(text) as WorkflowFile));
    const credential = {
      ...service,
      n8nApiKey: 'n8n-key',
      n8nApiUrl: `${tables.baseUrl}/api/v1`,
    };
    const trigger = new Publication({ credential, parameters: example.parametersOf('Last word') });
    await trigger.poll(); // publishing makes the table
    const items = orders.map((order) => ({ json: { body: { ...order } } }));
    const parameters = { ...example.parametersOf('Schedule the call'), scriptId: EMULATED_SCRIPT };
    const scheduled = jsonOf(await execute({ parameters, credential, items })).map(
      ({ callId }, index) => ({ order: orders[index]!, callId: String(callId) }),
    );
    const results = (): CallResult[] => {
      const calls = attemptsByCall(tables.rowsOf('Calls'));
      return scheduled.map((one) => {
        const { orderNumber } = one.order;
        const outcome = trigger.fired.find((item) => item.orderNumber === orderNumber);
        const decision = outcome && example.decisionOn(outcome.outcomeKey);
        return resultOf(one, calls.get(one.callId) ?? [], decision);
      });
    };
    const lines: string[] = [];
    const ended = new Set<string>();
    for (let round = 0; round < MOST_ROUNDS && ended.size < orders.length; round++) {
      await execute({ parameters: example.parametersOf('Place what is due'), credential });
      await trigger.poll();
      for (const result of results().filter(({ received }) => received)) {
        const { orderNumber } = result.order;
        if (ended.has(orderNumber)) continue;
        ended.add(orderNumber);
        lines.push(resultLine(result, ended.size, orders.length));
      }
    }
    const after = [resultTable(results()), callsLine(results()), outcomesLine(results())];
    return { lines: [...lines, ...after.join('\n').split('\n')], fired: trigger.fired };
  } finally {
    await cleanup.run();
  }
}
