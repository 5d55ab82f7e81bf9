import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const ANNA = '+12025550101';
const run = async (parameters: IDataObject) =>
  await execute({
    parameters: { scriptId: 7, ...parameters },
    items: [{ json: {} }],
    credential: world.credential(),
  });

describe('an invisible mark, as in a copied text,', () => {
  it('in the name of a call log makes no second log in which nobody looks', async () => {
    const schedule = async (value: string) =>
      await run({
        ...{ resource: 'call', operation: 'schedule', customerPhone: ANNA },
        callLogTable: { mode: 'name', value },
      });
    jsonOf(await schedule('Calls'));
    const { error } = await schedule('Calls\u200f');
    expect(error?.message).toContain('There is no data table "Calls\u200f"');
    expect(error?.description).toContain('There are: Calls');
    expect(world.tables.rowsOf('Calls')).toHaveLength(1);
  });

  it.each([
    ['phone_number', 'name\u200e'],
    ['\u200fphone_number', 'name'],
    ['phone_number', 'order\u2011number'],
  ])('in the header of a CSV hides no column: %j, %j', async (phone, other) => {
    jsonOf(
      await run({
        ...{ resource: 'campaign', operation: 'create', contactsSource: 'csvText' },
        ...{ csvText: `${phone};${other}\n${ANNA};Ann\n`, phoneColumn: 'phone_number\u200b' },
      }),
    );
    const { contacts } = world.service.seen.received[0]?.body as IDataObject;
    const field = other.startsWith('name') ? { customerName: 'Ann' } : { orderNumber: 'Ann' };
    expect(contacts).toMatchObject([{ customerPhone: ANNA, ...field }]);
  });

  it('in the key of a JSON list hides no name', async () => {
    jsonOf(
      await run({
        ...{ resource: 'campaign', operation: 'create', contactsSource: 'json' },
        contactsJson: JSON.stringify([{ phone: ANNA, 'name\u200e': 'Ann' }]),
      }),
    );
    expect(world.service.seen.received[0]?.body).toMatchObject({
      contacts: [{ customerPhone: ANNA, customerName: 'Ann' }],
    });
  });
});
