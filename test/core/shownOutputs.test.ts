import type { IDataObject } from 'n8n-workflow';
import { inlineCodeOf, PAGES, textOfPage } from '../documents';
import { closedHours } from './closedHours';
import { execute, type ExecutionRequest } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();
/** What operations gave, by the name of the operation. */
const given = new Map<string, IDataObject[]>();

async function run(
  name: string,
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<IDataObject[]> {
  const execution = await execute({
    parameters: {
      resource: 'call',
      ...{ scriptId: 7, customerPhone: '+12025550114' },
      additionalFields: { orderNumber: 'A-1001' },
      callLogTable: { mode: 'name', value: 'Calls' },
      ...parameters,
    },
    credential: world.credential(),
    ...more,
  });
  const items = execution.items.map(({ json }) => json);
  given.set(name, [...(given.get(name) ?? []), ...items]);
  return items;
}

beforeAll(async () => {
  const [placed] = await run('Call Customer', { operation: 'trigger' });
  const orderId = placed?.orderId;
  await run('Get Outcome', { operation: 'getOutcome', orderId, inProgress: 'returnStatus' });
  await run('Get Outcome', { operation: 'getOutcome', orderId, inProgress: 'wait' });
  await run('Call Customer and Wait', { operation: 'triggerAndWait' });
  await run('Call Customer', { operation: 'trigger', rules: closedHours() });
  const mistyped = { operation: 'trigger', scriptId: 99 };
  await run('Call Customer', mistyped, { settings: { onError: 'continueRegularOutput' } });

  await run('Schedule Call', { operation: 'schedule' });
  const cancel = { cancelBy: 'orderNumber', cancelValue: 'A-1001' };
  await run('Cancel Scheduled Calls', { operation: 'cancelScheduled', ...cancel });
  await run('Report', { resource: 'callLog', operation: 'report' });
  const age = { pruneBy: 'age', olderThanDays: 1 };
  await run('Prune', { resource: 'callLog', operation: 'prune', ...age });

  const contacts = [{ customerPhone: '+12025550114' }, { customerPhone: 'none' }];
  const [created] = await run('Create', {
    ...{ resource: 'campaign', operation: 'create', contactsSource: 'json' },
    ...{ contactsJson: JSON.stringify(contacts), options: { invalidContacts: 'skip' } },
  });
  for (const name of ['Start', 'Pause', 'Resume', 'Stop']) {
    const control = { resource: 'campaign', operation: name.toLowerCase() };
    await run(name, { ...control, campaignId: created?.campaignId });
  }
});

/** Whether an item is as a page writes it: its fields, `?` after one that may be missing, some with a value. */
function isAsShown(item: IDataObject, shown: string): boolean {
  const fields = shown.replace(/^\{ | \}$/g, '').split(', ');
  const names = fields.map((field) => /^\w+/.exec(field)?.[0] ?? '');
  const fit = fields.every((field, index) => {
    const name = names[index] ?? '';
    if (!(name in item)) return field.endsWith('?');
    const [, value] = field.split(': ');
    return value === undefined || value === JSON.stringify(item[name]);
  });
  return fit && Object.keys(item).every((name) => names.includes(name));
}

/** What a page says that operations give: in the column Output of its tables, one row each. */
function outputsInTablesOf(page: string): Array<[operation: string, output: string]> {
  const cells = textOfPage(page)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((row) => row.length === 5);
  const outputs = new Map<string, string>();
  let before = '';
  for (const [, names = '', , cell = ''] of cells) {
    const fields = [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    if (cell === 'the same') fields.push(before);
    if (fields.length === 0) continue;
    before = fields.join(', ');
    for (const name of names.split(', ')) outputs.set(name, before);
  }
  const ofOutcome = outputs.get('Get Outcome') ?? '';
  const waited = outputs.get('Call Customer and Wait');
  if (waited !== undefined) outputs.set('Call Customer and Wait', `${waited}, ${ofOutcome}`);
  return [...outputs];
}

/** Of what operations gave, what is as a page shows it. */
const asShown = (output: string, items: IDataObject[] = []) =>
  items.filter((item) => isAsShown(item, output));

describe('an output in a page', () => {
  it.each(outputsInTablesOf('docs/operations.md'))('is what %s gives', (operation, output) => {
    expect(asShown(output, given.get(operation))).not.toEqual([]);
  });

  const objects = PAGES.flatMap((page) =>
    inlineCodeOf(page)
      .filter((code) => /^\{ .* \}$/.test(code))
      .map((code) => [code, page]),
  );
  it.each(objects)('is what the node gives: %s, in %s', (output) => {
    const items = [...given.values()].flat();
    const turns = items.flatMap(({ transcript }) => (transcript ?? []) as IDataObject[]);
    expect(asShown(output, [...items, ...turns])).not.toEqual([]);
  });

  it('is what the operations of scheduled calls give', () => {
    const page = textOfPage('docs/scheduled-calls.md');
    const outputs = [...page.matchAll(/^Output: `(.+?)`/gm)].map(([, output = '']) => output);
    const operations = ['Schedule Call', 'Cancel Scheduled Calls'];
    expect(outputs).toHaveLength(operations.length);
    for (const [index, output] of outputs.entries()) {
      expect(asShown(output, given.get(operations[index] ?? ''))).not.toEqual([]);
    }
  });
});
