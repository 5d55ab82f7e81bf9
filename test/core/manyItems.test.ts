import type { IDataObject } from 'n8n-workflow';
import { leapOverWaits } from '../leapOverWaits';
import { execute, jsonOf, type Execution } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

leapOverWaits();
const world = useServiceAndTables({ speed: 1000 });

/** The longest time for which nothing else in n8n could run, as a share of the work of the processor. */
async function longestBlockOf(work: () => Promise<Execution>) {
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  const before = spent();
  let last = before;
  const begun = Date.now() - before;
  // The clock of these tests stands still while work is done.
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => begun + spent());
  let isOver = false;
  const turn = (): void => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const execution = await work();
  isOver = true;
  turn();
  clock.mockRestore();
  return { execution, longest: longest / (last - before) };
}

const ITEMS = Array.from({ length: 2_000 }, (_, index) => ({
  json: { phone: `+1202${2_000_000 + index}`, number: `A-${index}`, notes: '' },
}));
const OPERATIONS: Record<string, IDataObject> = {
  'Schedule Call': {
    ...{ resource: 'call', operation: 'schedule', customerPhone: '={{ $json.phone }}' },
    callLogTable: { mode: 'name', value: 'Calls' },
    additionalFields: { orderNumber: '={{ $json.number }}', orderNotes: '={{ $json.notes }}' },
  },
  'Create Campaign': {
    ...{ resource: 'campaign', operation: 'create', contactsSource: 'inputItems' },
    ...{ contactPhone: '={{ $json.phone }}', campaignName: '=Orders of {{ $json.shop ?? "us" }}' },
    contactFields: { orderNumber: '={{ $json.number }}', orderNotes: '={{ $json.notes }}' },
  },
};

describe.each(Object.entries(OPERATIONS))('%s with 2,000 items', (_, operation) => {
  it('reads them without holding up n8n, and hints at a field that none of them has', async () => {
    const { execution, longest } = await longestBlockOf(
      async () =>
        await execute({
          parameters: { scriptId: 7, ...operation },
          items: ITEMS,
          credential: world.credential(),
        }),
    );
    jsonOf(execution);
    expect(hintsOf(execution).join()).toContain('The 2000 items have nothing for "Order Notes"');
    // Without slices, reading alone is half of the work and more.
    expect(longest).toBeLessThan(0.4);
  });
});
