import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import { DoNotCallLists } from '../../nodes/OutboundAiCalling/rules/doNotCallLists';
import { onClockOf } from '../../nodes/OutboundAiCalling/clocks';
import { placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import { rulesAndOptions } from '../rulesAndOptions';
import { listOf } from '../dataTables/doNotCallTable';
import { closedHours } from './closedHours';
import { AgentTool, execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { itemsOf, phoneOf } from './orderItems';
import { anotherProcess, Publication, type PublicationOptions } from './triggerEngine';
import { useServiceAndTables } from './serviceAndTables';

/** Each account has numbers of its own for its calls. */
const API_KEYS = ['test-key', 'key-of-one', 'key-of-another'];
let apiKey = 'test-key';
/** What the attempts at a call end with, by its order number; the last one goes on. */
let outcomes: Record<string, string[]>;
const world = useServiceAndTables({
  apiKeys: API_KEYS,
  speed: 1000,
  scripts: { 7: [], 30: ['customerName'] },
  outcomeFor: ({ orderNumber = '' }) => {
    const [label = 'Confirmed', ...more] = outcomes[orderNumber] ?? [];
    if (more.length > 0) outcomes[orderNumber] = more;
    return { status: label === 'no_answer' ? 'failed' : 'completed', label };
  },
});
beforeEach(() => {
  outcomes = {};
});

const callLogTable = { mode: 'name', value: 'Calls' };
const credential = () => world.credential(apiKey);
const run = async (
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> =>
  await execute({
    parameters: { resource: 'call', callLogTable, ...parameters },
    credential: credential(),
    ...more,
  });
const scheduled = async (count: number, settings: IDataObject = {}, more: IDataObject = {}) =>
  jsonOf(
    await run(
      {
        operation: 'schedule',
        scriptId: 7,
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.number }}' },
        ...rulesAndOptions(settings),
        ...more,
      },
      { items: itemsOf(count) },
    ),
  );
const OUT_OF_REACH = [
  '4 rows written with another API key or base URL are out of reach: use that credential again, or delete the rows and schedule these calls alone again, without Prevent Duplicates.',
  '2 rows without an account are out of reach: write the account of another row there.',
  '1 row with an unknown status is out of reach: write in_progress there if the row has an orderId, else cancelled. Write scheduled only to have the call placed.',
  '1 row with the status scheduled and a time in finishedAt is out of reach: empty that cell to have the call placed again, if Schedule Call wrote the row; else write back how it ended.',
];
const once = { keepOnSeconds: 0, firstCheckAfterSeconds: 0 };
/** A moment after what was done before: calls of then have ended. */
const place = async (
  options: IDataObject = once,
  { maxInProgress = 10, ...more }: IDataObject = {},
  request: Partial<ExecutionRequest> = {},
) => {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return await run(
    { operation: 'placeScheduled', options: { ...options, maxInProgress }, ...more },
    request,
  );
};
const rows = () => world.tables.rowsOf('Calls');
/** As time does. */
function makeDue(some = rows()): void {
  const now = Date.now() - 1;
  for (const row of some) Object.assign(row, { runAt: now, dueAt: new Date(now).toISOString() });
}
const statuses = () => rows().map(({ status }) => status);
const rowOf = (index: number) => rows().find(({ orderNumber }) => orderNumber === `A-${index}`);
const retryOf = (afterMinutes: string) => ({
  retry: { plan: { outcomes: 'no_answer', afterMinutes } },
});
const SOON = '0.0001, 0.0002, 0.0003';
/** Calls at once, and again by Place Scheduled. */
const CALL_AGAIN_SOON: IDataObject = {
  operation: 'trigger',
  scriptId: 7,
  customerPhone: phoneOf(0),
  additionalFields: { orderNumber: 'A-0' },
  callLog: 'dataTable',
  ...rulesAndOptions(retryOf(SOON)),
};

describe('Place Scheduled', () => {
  it('calls whom it is due to call, and gives an item for each', async () => {
    const note = jest.spyOn(placedCalls, 'note');
    const [first] = await scheduled(2);
    await scheduled(1, { scheduleAgain: true }, { callAt: '={{ $now.plus({ hours: 1 }) }}' });
    const output = jsonOf(await place());
    expect(output).toHaveLength(2);
    expect(output[0]).toEqual({
      orderId: expect.any(Number),
      scriptId: 7,
      callStatus: 'in_progress',
      customerPhone: phoneOf(0),
      orderNumber: 'A-0',
      message: 'Call started',
      callId: first?.callId,
      attempt: 1,
    });
    expect(note).toHaveBeenCalledTimes(2);
    note.mockRestore();
    expect(statuses().sort()).toEqual(['in_progress', 'in_progress', 'scheduled']);
    expect(world.service.seen.calls).toHaveLength(2);
  });

  it.each([{}, { rules: { manualExecutions: 'dryRun' } }])(
    'gives items that lead to no order of the input: they come from the log, %#',
    async (more) => {
      await scheduled(2);
      const { items } = await place(once, more, { items: itemsOf(2), mode: 'manual' });
      expect(items.map(({ pairedItem }) => pairedItem)).toEqual([[], []]);
    },
  );

  it('is quiet where nothing is due', async () => {
    await scheduled(1, { scheduleAgain: true }, { callAt: '={{ $now.plus({ hours: 1 }) }}' });
    const startedAt = Date.now();
    const quiet = await place({});
    expect(jsonOf(quiet)).toEqual([]);
    const dueAt = onClockOf(Number(rows()[0]?.runAt), 'Asia/Kolkata');
    const next = dueAt.slice(0, 16).replace('T', ' ');
    expect(hintsOf(quiet)).toEqual([`No call is due. The next one is due ${next} (Asia/Kolkata).`]);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(world.service.seen.received).toEqual([]);
  });

  it('never has more calls in progress than it may, also with those of others', async () => {
    await scheduled(5);
    expect(jsonOf(await place(once, { maxInProgress: 3 }))).toHaveLength(3);
    expect(statuses().filter((status) => status === 'in_progress')).toHaveLength(3);
    // The three have ended, which is found first.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(jsonOf(await place(once, { maxInProgress: 3 }))).toHaveLength(2);
    expect(world.service.seen.callsByPhone.size).toBe(5);
  });

  it('says that calls wait because as many go on as may', async () => {
    await scheduled(5);
    const patient = { ...once, firstCheckAfterSeconds: 3_600 };
    expect(jsonOf(await place(patient, { maxInProgress: 3 }))).toHaveLength(3);
    expect(hintsOf(await place(patient, { maxInProgress: 3 }))).toEqual([
      'No call was placed: as many go on as "Max in Progress" allows. Calls that are due wait until one has ended.',
    ]);
  });

  it.each([
    ['in_progress', 61, 'the calling service says that they still go on'],
    ['switched_off', 16, 'the calling service says "switched_off", and gives no outcome'],
  ])('fails when calls that hold all channels say %s for too long', async (said, minutes, why) => {
    await scheduled(3);
    await place({ ...once, firstCheckAfterSeconds: 3_600 }, { maxInProgress: 2 });
    const placedAt = new Date(Date.now() - minutes * 60_000).toISOString();
    for (const row of rows().filter(({ status }) => status === 'in_progress'))
      Object.assign(row, { triggeredAt: placedAt, runAt: Date.now() });
    const body = { success: true, callStatus: said, callDurationSec: 0 };
    world.service.faults.add({ kind: 'json', body, route: 'outcome', times: Infinity });
    const { run: failed } = await place(once, { maxInProgress: 2 });
    expect(failed.data.resultData.error?.message).toContain(`can be read: ${why}`);
  });

  it('fails when the outcomes of the calls that hold all channels cannot be read', async () => {
    await scheduled(3);
    await place({ ...once, firstCheckAfterSeconds: 3_600 }, { maxInProgress: 2 });
    const open = rows().filter(({ status }) => status === 'in_progress');
    const placedAt = new Date(Date.now() - 3_600_000).toISOString();
    for (const row of open) Object.assign(row, { triggeredAt: placedAt, runAt: Date.now() });
    world.service.faults.add({ kind: 'status', status: 500, route: 'outcome', times: 50 });
    const { run: failed } = await place(once, { maxInProgress: 2 });
    expect(failed.data.resultData.error?.message).toMatch(
      /^Nobody was called. The 2 calls in progress hold all channels of "Max in Progress", and no outcome of them can be read: /,
    );
    world.service.faults.clear();
    makeDue();
    expect(jsonOf(await place(once, { maxInProgress: 2 }))).toHaveLength(1);
  });

  it('tries one call after doubts, and others when the service has accepted it', async () => {
    await scheduled(12);
    const down = { kind: 'status', status: 503, route: 'trigger', times: 50 } as const;
    world.service.faults.add({ ...down });
    const minute = async () => (await place(once, { maxInProgress: 4 })).run.data.resultData.error;
    const inDoubt = () => statuses().filter((status) => status === 'maybe_placed').length;
    await minute();
    expect(inDoubt()).toBeGreaterThan(0);
    const first = inDoubt();
    await minute();
    expect(inDoubt()).toBe(first + 1);
    world.service.faults.clear();
    expect(jsonOf(await place(once, { maxInProgress: 4 })).length).toBeGreaterThan(1);
  });

  it('waits longer after each doubt', async () => {
    await scheduled(4);
    world.service.faults.add({ kind: 'status', status: 503, route: 'trigger', times: 50 });
    const messages: unknown[] = [];
    for (let run = 0; run < 4; run++) {
      const { error } = (await place(once, { maxInProgress: 1 })).run.data.resultData;
      messages.push(error?.message);
    }
    expect(statuses().filter((status) => status === 'maybe_placed')).toHaveLength(2);
    expect(messages.at(-1)).toMatch(
      /^Nobody was called\. Each of the last 2 calls may have been placed.* One call is tried at \d\d:\d\d/,
    );
    expect(statuses().filter((status) => status === 'scheduled')).toHaveLength(2);
  });

  it.each([
    ['dryRun', [{ dryRun: true, wouldCall: false, scriptId: 7 }]],
    ['simulate', []],
  ])('would call nobody after doubts by %s either, and says why', async (how, items) => {
    await scheduled(4);
    world.service.faults.add({ kind: 'status', status: 503, route: 'trigger', times: 50 });
    for (let run = 0; run < 2; run++) await place(once, { maxInProgress: 1 });
    const tried = await place(
      once,
      { maxInProgress: 1, rules: { manualExecutions: how } },
      { mode: 'manual' },
    );
    expect(jsonOf(tried)).toMatchObject(items);
    expect(hintsOf(tried).join()).toMatch(
      /^Nobody would be called: Each of the last 2 calls may have been placed/,
    );
  });

  it('has one call at a time to a person with several orders, and says who waits', async () => {
    await scheduled(3, {}, { customerPhone: phoneOf(0) });
    Object.assign(rows()[1] ?? {}, { customerPhone: phoneOf(0).replace('+1202', '+1 (202) ') });
    const rules = { manualExecutions: 'dryRun' };
    const tried = await place(once, { rules }, { mode: 'manual' });
    expect(jsonOf(tried)).toMatchObject([{ wouldCall: true, orderNumber: 'A-0' }]);
    expect(hintsOf(tried).join()).toContain('another call to the same person goes on');
    for (const orderNumber of ['A-0', 'A-1', 'A-2']) {
      const placed = await place();
      expect(jsonOf(placed)).toMatchObject([{ orderNumber }]);
      expect(statuses().filter((status) => status === 'in_progress')).toHaveLength(1);
    }
  });

  it('places calls of one log only, and says so', async () => {
    await scheduled(2);
    const callLogTable = {
      __rl: true,
      mode: 'name',
      value: '={{ $itemIndex ? "Other" : "Calls" }}',
    };
    const items = [{ json: {} }, { json: {} }];
    const { run: failed } = await place(once, { callLogTable }, { items });
    expect(failed.data.resultData.error?.message).toContain(
      'Call Log Table differs between the items: item 1',
    );
    expect(world.service.seen.calls).toEqual([]);
  });

  it('says which rows it does not reach, and what to do about them', async () => {
    await scheduled(6);
    apiKey = 'key-of-another';
    await scheduled(1, {}, { additionalFields: { orderNumber: 'of another account' } });
    rows()[0]!.account = null;
    rows()[1]!.account = '';
    const placing = await place(once, { maxInProgress: 1 });
    expect(jsonOf(placing)).toHaveLength(1);
    expect(hintsOf(placing)).toEqual(OUT_OF_REACH.slice(0, 2));
    const [own] = rows().splice(-1);
    const other = { ...own, id: 100, finishedAt: null, orderId: null };
    const ended = { ...other, status: 'scheduled', finishedAt: new Date().toISOString() };
    rows().push({ ...other, status: ' ', callId: 'one' });
    rows().push({ ...ended, id: 101, callId: 'other' });
    const quiet = await place();
    const rules = { manualExecutions: 'dryRun' };
    const tried = await place({}, { rules }, { mode: 'manual' });
    apiKey = 'test-key';
    expect(jsonOf(quiet)).toEqual([]);
    expect(hintsOf(tried)).toEqual(hintsOf(quiet));
    expect(hintsOf(quiet)).toEqual(['No call is due. None is scheduled.', ...OUT_OF_REACH]);
  });

  describe('rows of another account that has placed calls of the log', () => {
    const LONG_AGO = '2020-01-01T00:00:00.000Z';
    const besideOf = () => `Triggers of Calls (${world.tables.idOf('Calls')})`;
    const placeWithOtherKey = async (maxInProgress: number) => {
      apiKey = 'key-of-another';
      await scheduled(1);
      await place(once, { maxInProgress });
      await scheduled(2, {}, { additionalFields: { orderNumber: 'later' } });
      apiKey = 'test-key';
      const before = new Date(Date.now() - 10 * 60_000).toISOString();
      for (const row of world.tables.rowsOf(besideOf())) row.updatedAt = before;
      return await place(once, { maxInProgress: 10 });
    };

    it('are told in a hint while another workflow may place them', async () => {
      const told = hintsOf(await placeWithOtherKey(3)).join();
      expect(told).toContain('has placed calls of this log within the last hour, and may place');
      expect(told).not.toContain('schedule these');
    });

    it('are told in a hint when this workflow has both accounts, in two nodes', async () => {
      await scheduled(1, {}, { additionalFields: { orderNumber: 'own' } });
      await place(once, { maxInProgress: 10 });
      for (const row of world.tables.rowsOf(besideOf())) row.createdAt = LONG_AGO;
      expect(hintsOf(await placeWithOtherKey(10)).join()).toContain('schedule these calls alone');
    });

    it('let this workflow fail when it had that account before: nobody else places them', async () => {
      const { error } = await placeWithOtherKey(10);
      expect(error?.message).toMatch(
        /^Nobody was called\. 2 rows written with another API key or base URL/,
      );
      expect(error?.message).toContain(', which this workflow had before, are out of reach');
      expect(error?.message).toContain('schedule these calls alone again');
    });
  });

  it('fills channels as long as it keeps on, and ends when all is done', async () => {
    await scheduled(7);
    const startedAt = Date.now();
    const options = { keepOnSeconds: 50, firstCheckAfterSeconds: 0 };
    expect(jsonOf(await place(options, { maxInProgress: 3 }))).toHaveLength(7);
    expect(Date.now() - startedAt).toBeLessThan(45_000);
    expect(statuses()).toEqual(Array(7).fill('completed'));
    expect(world.service.seen.calls.map(({ phone }) => phone)).toEqual(
      itemsOf(7).map(({ json }) => json.phone),
    );
  });

  it('calls again after the outcomes and delays of the plan, and no more', async () => {
    outcomes = { 'A-0': ['no_answer', 'no_answer', 'Confirmed'], 'A-1': ['no_answer'] };
    outcomes['A-1'] = Array<string>(9).fill('no_answer');
    await scheduled(2, { ...retryOf(SOON), preventDuplicates: true });
    const attempts: unknown[] = [];
    for (let round = 0; round < 8; round++) {
      const placed = jsonOf(await place());
      attempts.push(...placed.map(({ orderNumber, attempt }) => `${orderNumber}#${attempt}`));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(attempts).toEqual(['A-0#1', 'A-1#1', 'A-0#2', 'A-1#2', 'A-0#3', 'A-1#3', 'A-1#4']);
    expect(
      rows()
        .map(({ orderNumber, attempt }) => `${orderNumber}#${attempt}`)
        .sort(),
    ).toEqual(attempts.toSorted());
    expect(statuses()).not.toContain('scheduled');
  });

  it('calls again also after a call that was placed at once', async () => {
    outcomes = { 'A-0': ['no_answer', 'Confirmed'] };
    await scheduled(1, retryOf(SOON), { operation: 'trigger', callLog: 'dataTable' });
    const [row] = rows();
    if (row !== undefined) makeDue([row]);
    const attempts: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      // The longest call lasts 60 milliseconds. The next look at one that goes on would come seconds later.
      await new Promise((resolve) => setTimeout(resolve, 100));
      attempts.push(...jsonOf(await place()).map(({ attempt }) => attempt));
    }
    expect(attempts).toEqual([2]);
    expect(rows().map(({ attempt, outcomeKey }) => `${attempt} ${outcomeKey}`)).toEqual([
      '1 no_answer',
      '2 confirmed',
    ]);
  });
});

describe('a call log that is made anew, because a person has renamed its table', () => {
  const call = {
    operation: 'trigger',
    scriptId: 7,
    customerPhone: phoneOf(0),
    callLog: 'dataTable',
    rules: { maxCallsPerPersonPerDay: 1 },
  };
  const MADE = 'A new data table "Calls" was made for the call log.';

  it('is told, with the name of the other one: its calls do not count', async () => {
    expect(hintsOf(await run(call))).toEqual([MADE]);
    const [capped] = jsonOf(await run(call));
    expect(capped).toMatchObject({ reason: 'dailyCap' });
    world.tables.rename('Calls', 'Calls of <b>the shop');
    const anew = hintsOf(await run({ ...call, customerPhone: phoneOf(1) })).join();
    expect(anew).toContain(MADE);
    // The editor renders hints as HTML.
    expect(anew).toContain('"Calls of  b>the shop"');
    expect(hintsOf(await run({ ...call, customerPhone: phoneOf(2) })).join()).toBe('');
  });

  it.each(['calls', 'CALLS ', 'C_alls'])('is not made as %p, which may be a slip', async (name) => {
    await scheduled(1);
    const callLogTable = { __rl: true, mode: 'name', value: name };
    const { run: failed } = await run({ ...call, callLogTable });
    expect(failed.data.resultData.error?.message).toContain('There is no data table');
    expect(world.tables.tables.map((table) => table.name)).toEqual(['Calls']);
    expect(world.service.seen.calls).toEqual([]);
  });

  it('is told when calls are scheduled, for those in the other one are not placed', async () => {
    await scheduled(1);
    world.tables.rename('Calls', 'Calls of the shop');
    const anew = hintsOf(
      await run({ operation: 'schedule', scriptId: 7, customerPhone: phoneOf(1) }),
    ).join();
    expect(anew).toContain(MADE);
    expect(anew).toContain('"Calls of the shop"');
  });
});

describe('rules', () => {
  it('leaves calls outside the hours for later, and says so', async () => {
    await scheduled(3, closedHours());
    const execution = await place();
    expect(jsonOf(execution)).toEqual([]);
    expect(world.service.seen.received).toEqual([]);
    expect(statuses()).toEqual(['scheduled', 'scheduled', 'scheduled']);
    const inTwoHours = Date.now() + 2 * 3_600_000;
    for (const { runAt, dueAt, lastError } of rows()) {
      expect(Math.abs(Number(runAt) - inTwoHours)).toBeLessThan(70_000);
      expect(Math.abs(Date.parse(String(dueAt)) - inTwoHours)).toBeLessThan(70_000);
      expect(lastError).toMatch(/^Nobody was called: calling is not allowed at this time; it is/);
    }
    expect(hintsOf(execution)[0]).toMatch(/^3 of 3 not called: 3 outside calling hours \(next /);
  });

  it('leaves calls over a daily cap for the next day, in few requests', async () => {
    await scheduled(300, { maxCallsPerDay: 2 });
    const before = world.tables.count;
    const placed = jsonOf(await place({ ...once, concurrency: 10 }, { maxInProgress: 10 }));
    expect(placed).toHaveLength(2);
    expect(world.tables.count - before).toBeLessThan(120);
    expect(world.service.seen.calls).toHaveLength(2);
    expect(statuses().filter((status) => status === 'scheduled')).toHaveLength(298);
  });

  it('ends calls to people on the do-not-call list, which is read anew', async () => {
    await scheduled(2, { doNotCallTable: { mode: 'name', value: 'No' } }, {}).catch(() => []);
    expect(rows()).toEqual([]);
    await tablesWithList();
    await scheduled(2, { doNotCallTable: { mode: 'name', value: 'No' } });
    world.tables.rowsOf('No').push({ id: 1, phone: phoneOf(1), reason: null, until: null });
    expect(jsonOf(await place()).map(({ orderNumber }) => orderNumber)).toEqual(['A-0']);
    expect(rowOf(1)).toMatchObject({
      status: 'not_placed',
      lastError: 'Nobody was called: the number is on the do-not-call list',
    });
  });
  it('ends no call between such calls of a person whose telephone rings', async () => {
    await tablesWithList();
    await scheduled(5, { doNotCallTable: { mode: 'name', value: 'No' } });
    const listed = [1, 3].map((index) => ({
      id: index,
      phone: phoneOf(index),
      reason: null,
      until: null,
    }));
    world.tables.rowsOf('No').push(...listed);
    // The person of A-0 has a second order, and keeps the first call going.
    Object.assign(rowOf(2) ?? {}, { customerPhone: phoneOf(0) });
    Object.assign(rowOf(4) ?? {}, {
      status: 'in_progress',
      customerPhone: phoneOf(0),
      orderId: '99',
      triggeredAt: new Date().toISOString(),
    });
    await place({ ...once, firstCheckAfterSeconds: 60 });
    expect([0, 1, 2, 3].map((index) => rowOf(index)?.status)).toEqual([
      'scheduled',
      'not_placed',
      'scheduled',
      'not_placed',
    ]);
  });
  const tablesWithList = async () => {
    const columns = ['phone', 'reason', 'until'].map((name) => ({ name, type: 'string' }));
    await fetch(`${world.tables.baseUrl}/api/v1/data-tables`, {
      method: 'POST',
      body: JSON.stringify({ name: 'No', columns }),
      headers: { 'content-type': 'application/json' },
    });
  };

  it('calls the others when the do-not-call list of many cannot be read, and then fails', async () => {
    await tablesWithList();
    await scheduled(60, { doNotCallTable: { mode: 'name', value: 'No' } });
    for (const row of rows()) row.request = String(row.request).replace('"No"', '"Gone"');
    await scheduled(2, {}, { options: { scheduleAgain: true } });
    const dryRun = { rules: { manualExecutions: 'dryRun' } };
    const tried = await place(once, { ...dryRun, maxInProgress: 100 }, { mode: 'manual' });
    expect(jsonOf(tried)).toHaveLength(2);
    const unread = hintsOf(tried).filter((hint) => hint.includes('could not be read'));
    expect(unread).toHaveLength(1);
    const { error } = await place();
    expect(world.service.seen.calls).toHaveLength(2);
    expect(error?.message).toMatch(
      /^2 people were called\. The do-not-call list could not be read/,
    );
    expect(error?.description).toContain('60 scheduled calls wait until this is solved.');
    const waiting = rows().filter(({ status }) => status === 'scheduled');
    expect(waiting).toHaveLength(60);
    for (const { runAt } of waiting) expect(Number(runAt)).toBeGreaterThan(Date.now() + 60_000);
  });

  it('calls nobody when a rule cannot be asked, and leaves the calls for later', async () => {
    await tablesWithList();
    await scheduled(2, { doNotCallTable: { mode: 'name', value: 'No' } });
    for (const row of rows()) row.request = String(row.request).replace('"No"', '"Gone"');
    const { error } = await place();
    expect(error?.message).toMatch(/^Nobody was called\. The do-not-call list could not be read/);
    expect(statuses()).toEqual(['scheduled', 'scheduled']);
    expect(Number(rows()[0]?.runAt)).toBeGreaterThan(Date.now() + 60_000);
    expect(world.service.seen.received).toEqual([]);
  });

  it('fails when the hours allow a call on no day now, as after a change to summer time, and calls others', async () => {
    await scheduled(1, { callingHours: { hours: { start: '00:00', end: '00:00' } } });
    const hours = { start: '09:00', end: '09:30', timezone: 'America/New_York' };
    const request = JSON.parse(String(rows()[0]?.request)) as IDataObject;
    const rules = { callingHours: { hours: { ...hours, customersTimezone: true } } };
    Object.assign(rows()[0] ?? {}, { request: JSON.stringify({ ...request, rules }) });
    await scheduled(1, {}, { customerPhone: phoneOf(1), options: { scheduleAgain: true } });
    const never =
      /the calling hours allow no call within the next eight days: the \d+ time zones are never within them at once/;
    const dryRun = { rules: { manualExecutions: 'dryRun' } };
    expect(hintsOf(await place(once, dryRun, { mode: 'manual' })).join()).toMatch(never);
    const { error } = await place();
    expect(error?.message).toMatch(
      new RegExp(`^1 person was called\\. Scheduled calls cannot be placed: ${never.source}$`),
    );
    expect(error?.description).toMatch(
      /^A row stores the rules.*1 scheduled call waits until this is solved/,
    );
    const [waiting] = rows().filter(({ status }) => status === 'scheduled');
    expect(waiting?.lastError).toMatch(new RegExp(`^Nobody was called: ${never.source}$`));
    expect(String(waiting?.dueAt)).toContain('T03:30:00');
    expect(world.service.seen.calls.map(({ phone }) => phone)).toEqual([phoneOf(1)]);
  });

  it('rings nobody whom an end of the same execution has put on the do-not-call list', async () => {
    world.tables.tables.push(listOf([]));
    const doNotCallTable = { __rl: true, mode: 'name', value: 'Do not call' };
    const phone = { customerPhone: phoneOf(1) };
    await scheduled(2, { doNotCallTable, doNotCallOutcomes: 'do_not_call' }, phone);
    outcomes['A-0'] = ['Do not call'];
    const options = { keepOnSeconds: 30, firstCheckAfterSeconds: 0 };
    const execution = await place(options, { maxInProgress: 1 });
    expect(jsonOf(execution)).toHaveLength(1);
    expect(hintsOf(execution)).toEqual(['1 of 2 not called: 1 on the do-not-call list']);
    expect(world.service.seen.calls).toHaveLength(1);
  });
});

describe('failures', () => {
  const isFor = (index: number) => ({
    match: ({ body }: { body: unknown }) =>
      (body as IDataObject | undefined)?.customerPhone === phoneOf(index),
  });

  it('ends a call that the service refuses, and goes on with the others', async () => {
    const body = { success: false, message: 'customerPhone must be in E.164 format' };
    world.service.faults.add({ kind: 'status', status: 400, body, times: 1, ...isFor(1) });
    await scheduled(3);
    const execution = await place();
    expect(jsonOf(execution)).toHaveLength(2);
    expect(rowOf(1)).toMatchObject({
      status: 'not_placed',
      lastError: expect.stringContaining('customerPhone must be in E.164 format'),
      triggeredAt: null,
    });
    expect(hintsOf(execution).join()).toContain('1 call was refused by the calling service');
  });

  it('ends a few calls when the service refuses all numbers and accepts none, and keeps the others', async () => {
    const body = { success: false, message: 'Invalid phone number' };
    world.service.faults.add({ kind: 'status', status: 400, body, times: Infinity });
    await scheduled(30);
    const { error } = await place({ keepOnSeconds: 15, firstCheckAfterSeconds: 0 });
    expect(error?.message).toMatch(
      /^Nobody was called\. The calling service refused 10 calls and accepted none: .*Invalid phone number/,
    );
    expect(error?.description).toContain('All others stay scheduled');
    const ended = statuses().filter((status) => status === 'not_placed').length;
    expect(ended).toBeGreaterThanOrEqual(10);
    expect(ended).toBeLessThan(20);
    expect(statuses().filter((status) => status === 'scheduled')).toHaveLength(30 - ended);
  });

  it('tries one call alone after many refusals, later each time, until the service accepts one', async () => {
    const body = { success: false, message: 'Invalid phone number' };
    world.service.faults.add({ kind: 'status', status: 400, body, times: 12 });
    await scheduled(30);
    const notPlaced = () => statuses().filter((status) => status === 'not_placed').length;
    const told: string[] = [];
    const placeFor = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        const { error } = await place({ ...once, concurrency: 1 }, { maxInProgress: 4 });
        told.push(error?.message ?? '');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      }
    };
    await placeFor(3);
    expect([notPlaced(), told.filter((message) => message !== '')]).toEqual([
      11,
      [10, 11, 11].map(
        (calls) =>
          expect.stringContaining(`service refused ${calls} calls and accepted none`) as unknown,
      ),
    ]);
    told.length = 0;
    await placeFor(8);
    expect(notPlaced()).toBe(12);
    expect(told.slice(-3)).toEqual(['', '', '']);
    expect(world.service.seen.calls.length).toBeGreaterThan(4);
  });

  it('fails also when few calls are due at a time, and the service refuses all of them', async () => {
    const body = { success: false, message: 'Invalid phone number' };
    world.service.faults.add({ kind: 'status', status: 400, body, times: Infinity });
    const failed: boolean[] = [];
    for (let hour = 0; hour < 5; hour++) {
      await scheduled(
        3,
        {},
        { customerPhone: `={{ "+1202555" + (2000 + ${hour} * 10 + $itemIndex) }}` },
      );
      failed.push((await place()).error !== undefined);
    }
    expect(failed).toEqual([false, false, false, true, true]);
    expect(statuses().filter((status) => status === 'scheduled').length).toBeGreaterThan(2);
  });

  it.each([
    'Missing required script variables: delivery_day',
    'Script not found',
    'scriptId is required',
    'customerPhone is required',
  ])('keeps every call scheduled after a refusal that each would get: %s', async (message) => {
    const body = { success: false, message };
    world.service.faults.add({ kind: 'status', status: 400, body, times: Infinity });
    await scheduled(3);
    const { error } = await place({ ...once, concurrency: 1 });
    expect(error?.message).toMatch(/^Nobody was called\. The (?:script needs|calling service) /);
    expect(statuses()).toEqual(['scheduled', 'scheduled', 'scheduled']);
    expect(world.service.seen.received).toHaveLength(1);
  });

  it('calls the others when the script needs a name that one order lacks', async () => {
    const customerName = '={{ $json.number === "A-0" ? "" : "Ann" }}';
    const additionalFields = { orderNumber: '={{ $json.number }}', customerName };
    await scheduled(3, {}, { scriptId: 30, additionalFields });
    const { error } = await place({ ...once, concurrency: 1 });
    expect(error?.message).toBe('2 people were called. The script needs customerName');
    expect(error?.description).toContain('customerName and orderNumber have columns');
    expect(statuses().filter((status) => status === 'scheduled')).toHaveLength(1);
    expect(rowOf(0)).toMatchObject({ lastError: expect.stringContaining('needs customerName') });
  });

  it('calls by another script when one was refused', async () => {
    await scheduled(30, {}, { scriptId: 8 });
    const sound = { customerPhone: phoneOf(90), additionalFields: { orderNumber: 'B-1' } };
    await scheduled(1, {}, sound);
    const { error } = await place({ ...once, keepOnSeconds: 4 }, { maxInProgress: 3 });
    expect(error?.message).toMatch(
      /^1 person was called\. The calling service does not accept this/,
    );
    expect(error?.description).toContain('scriptId of the calls that wait has 8.');
    expect(error?.description).not.toContain('"Script ID"');
    expect(statuses().filter((status) => status === 'scheduled')).toHaveLength(30);
    const asked = world.service.seen.received.filter(({ route }) => route === 'trigger');
    expect(asked.length).toBeLessThan(5);
    expect([...world.service.seen.callsByPhone]).toEqual([[phoneOf(90), 1]]);
  });

  it('keeps the times of calls that it has not begun', async () => {
    world.service.faults.add({ kind: 'status', status: 401, times: 1 });
    await scheduled(6);
    const before = new Map(rows().map(({ orderNumber, dueAt }) => [orderNumber, dueAt]));
    await place({ ...once, concurrency: 1 }, { maxInProgress: 6 });
    const waiting = rows().filter(({ status }) => status === 'scheduled');
    const isSame = waiting.filter(({ orderNumber, dueAt }) => before.get(orderNumber) === dueAt);
    expect([waiting.length, isSame.length]).toEqual([6, 5]);
  });

  it.each([
    'Call placed; recording failed',
    'Internal server error',
    'Failed to save the order',
    'SIP 486 Busy Here',
  ])(
    'places no call again whose refusal says that it may have been placed: %s',
    async (message) => {
      const body = { success: false, message };
      world.service.faults.add({ kind: 'status', status: 200, body });
      await scheduled(1);
      expect((await place()).error?.message).toMatch(/^Somebody may have been called/);
      expect(statuses()).not.toContain('scheduled');
      await place();
      expect(world.service.seen.received).toHaveLength(1);
    },
  );

  it.each([
    [400, 'No free channels'],
    [400, 'Concurrency limit reached'],
    [400, 'Insufficient wallet balance'],
    [402, 'Payment is due'],
    [403, 'Your plan has no calls left'],
    [404, 'Customer not found'],
    [409, 'Try again tomorrow'],
    [422, 'We do not like this'],
    [200, 'Something went wrong'],
  ])('ends no call by status %i and the words "%s", and tells them', async (status, message) => {
    world.service.faults.add({
      kind: 'status',
      status,
      body: { success: false, message },
      route: 'trigger',
      times: Infinity,
    });
    await scheduled(20, { duplicateKey: `={{ $json.number }} ${message}` });
    const keys = rows().map(({ duplicateKey }) => duplicateKey);
    const { error } = await place({ ...once, concurrency: 1 }, { maxInProgress: 5 });
    expect(error?.message).toMatch(/^Nobody was called\. /);
    expect(error?.message).toContain(message);
    expect(world.service.seen.requests.trigger).toBe(1);
    expect(new Set(statuses())).toEqual(new Set(['scheduled']));
    expect(rows().map(({ duplicateKey }) => duplicateKey)).toEqual(keys);
    world.service.faults.clear();
    makeDue();
    jsonOf(await place(once, { maxInProgress: 50 }));
    expect([...world.service.seen.callsByPhone.values()]).toEqual(Array(20).fill(1));
  });

  it('stops at what concerns all calls, and places them later', async () => {
    world.service.faults.add({ kind: 'status', status: 401 });
    await scheduled(30);
    const { error } = await place({ ...once, concurrency: 1 }, { maxInProgress: 20 });
    expect(error?.message).toMatch(/^Nobody was called\. The calling service refused the API key/);
    expect(world.service.seen.requests.trigger).toBe(1);
    expect(new Set(statuses())).toEqual(new Set(['scheduled']));
    world.service.faults.clear();
    // Only the one whose request was refused waits.
    expect(jsonOf(await place(once, { maxInProgress: 50 }))).toHaveLength(29);
  });

  it('tells what may have been placed, and does not call it again', async () => {
    world.service.faults.add({ kind: 'reset', when: 'after', times: 1, ...isFor(1) });
    await scheduled(3, retryOf(SOON));
    const { error } = await place({ ...once, concurrency: 1 });
    expect(error?.message).toMatch(/^1 person was called, and 1 more may have been\. /);
    expect(error?.description).toContain('Calls placed: call IDs at the service');
    expect(rowOf(1)).toMatchObject({ status: 'maybe_placed', triggeredAt: expect.any(String) });
    expect(rowOf(2)).toMatchObject({ status: 'scheduled' });
    jsonOf(await place());
    expect([...world.service.seen.callsByPhone.values()]).toEqual([1, 1, 1]);
  });

  it('gives out what was placed and an item with the error when the node continues on error', async () => {
    world.service.faults.add({ kind: 'reset', when: 'after', times: 1, ...isFor(1) });
    await scheduled(3);
    const settings = { onError: 'continueRegularOutput' as const };
    const output = jsonOf(await place({ ...once, concurrency: 1 }, {}, { settings }));
    expect(output[0]).toMatchObject({ orderNumber: 'A-0' });
    expect(output[1]?.error).toMatch(/^1 person was called/);
  });

  it('says of test calls that no customer was called', async () => {
    const test = { manualExecutions: 'testPhone', testPhone: '+12025550199' };
    const schedule = { operation: 'schedule', scriptId: 7, customerPhone: '={{ $json.phone }}' };
    const additionalFields = { orderNumber: '={{ $json.number }}' };
    const parameters = { ...schedule, additionalFields, rules: test };
    jsonOf(await run(parameters, { items: itemsOf(2), mode: 'manual' }));
    const isSecond = ({ body }: { body: unknown }) =>
      (body as IDataObject | undefined)?.orderNumber === 'A-1';
    world.service.faults.add({ kind: 'status', status: 401, times: 1, match: isSecond });
    const { error } = await place({ ...once, concurrency: 1 });
    expect(error?.message).toMatch(/^The test phone was rung once, and no customer was called\. /);
  });

  it('gives out with Retry On Fail what the tries before have placed', async () => {
    world.service.faults.add({ kind: 'status', status: 401, times: 1, ...isFor(1) });
    await scheduled(3);
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
    const output = jsonOf(await place({ ...once, concurrency: 1 }, {}, { settings }));
    expect(output.map(({ orderNumber }) => orderNumber)).toEqual(['A-0', 'A-2']);
    expect(world.service.seen.calls).toHaveLength(2);
  });

  it('stops cleanly when it is cancelled', async () => {
    world.service.faults.add({ kind: 'latency', ms: 300 });
    await scheduled(20);
    await place(
      { ...once, concurrency: 2 },
      {},
      { cancelWhen: () => world.service.seen.requests.trigger > 0 },
    );
    const done = () => !statuses().includes('placing');
    for (let tries = 0; tries < 100 && !done(); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    world.service.faults.clear();
    const called = world.service.seen.calls.length;
    expect(called).toBeLessThan(6);
    expect(statuses()).not.toContain('maybe_placed');
    expect(statuses().filter((status) => status === 'scheduled')).toHaveLength(20 - called);
    jsonOf(await place(once, { maxInProgress: 50 }));
    expect(world.service.seen.callsByPhone.size).toBe(20);
    expect(world.service.seen.calls).toHaveLength(20);
  });

  it("names its calls in n8n's log when it is cancelled", async () => {
    const warn = jest.spyOn(Container.get(Logger), 'warn').mockImplementation(() => undefined);
    await scheduled(1);
    await place(
      { keepOnSeconds: 20 },
      {},
      { cancelWhen: () => world.service.seen.calls.length > 0 },
    );
    const told = JSON.stringify(warn.mock.calls);
    warn.mockRestore();
    expect(world.service.seen.calls).toHaveLength(1);
    expect(told).toContain(String(world.service.seen.calls[0]?.orderId));
  });

  it('sends nothing more when its machine has slept, for others may count it as dead', async () => {
    const answer = world.service.faults.hold();
    await scheduled(3);
    const { now } = Date;
    let slept = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + slept);
    const placing = place({ ...once, concurrency: 1 });
    while (world.service.seen.requests.trigger === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    slept = 3 * 60_000;
    answer();
    await placing;
    clock.mockRestore();
    expect(world.service.seen.requests.trigger).toBe(1);
    expect(statuses().sort()).toEqual(['in_progress', 'scheduled', 'scheduled']);
  });

  it('forgets nobody when a rule cannot even begin to be asked', async () => {
    const columns = [{ name: 'phone', type: 'string' }];
    await fetch(`${world.tables.baseUrl}/api/v1/data-tables`, {
      method: 'POST',
      body: JSON.stringify({ name: 'No', columns }),
      headers: { 'content-type': 'application/json' },
    });
    await scheduled(2, { doNotCallTable: { mode: 'name', value: 'No' } });
    const broken = jest
      .spyOn(DoNotCallLists.prototype, 'reasonFor')
      .mockRejectedValue(new Error('The database is locked'));
    const { error } = await place();
    broken.mockRestore();
    expect(error?.message).toMatch(/^Nobody was called\. .*The database is locked/);
    expect(statuses()).toEqual(['scheduled', 'scheduled']);
  });

  it.each(['99999999999999', new Date(8e15).toUTCString()])(
    'tries again within a day, whatever pause the service asks for: %s',
    async (retryAfter) => {
      world.service.faults.add({
        kind: 'status',
        status: 429,
        headers: { 'retry-after': retryAfter },
        times: 9,
      });
      await scheduled(2);
      const { error } = await place();
      world.service.faults.clear();
      expect(error?.message).toMatch(/^Nobody was called\. /);
      expect(statuses()).toEqual(['scheduled', 'scheduled']);
      for (const { runAt } of rows()) {
        expect(Number(runAt)).toBeLessThan(Date.now() + 25 * 3_600_000);
      }
    },
  );

  it('asks for no call during the pause that the service asks for', async () => {
    const passes = async (seconds: number) =>
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    await scheduled(12);
    const asked = jest.fn(() => true);
    const { faults } = world.service;
    faults.add({ kind: 'rateLimit', retryAfter: 1_200, route: 'trigger', match: asked });
    const pausesTell = async () => (await place()).error;
    expect((await pausesTell())?.message).toContain('too many requests');
    const { length } = asked.mock.calls;
    for (let minutes = 0; minutes < 19; minutes++) {
      await passes(60);
      const error = await pausesTell();
      expect(error?.message).toContain('too many requests');
      expect(error?.description).toContain('It asks for a pause. Calls that are due wait');
    }
    const numbers = async (how: IDataObject) =>
      jsonOf(await place(once, how, { mode: 'manual' })).map(({ wouldCall }) => wouldCall);
    expect(await numbers({ rules: { manualExecutions: 'dryRun' } })).toEqual([false]);
    expect(asked).toHaveBeenCalledTimes(length);
    faults.clear();
    await passes(120);
    // The pause is over: a number that is refused stops nobody else.
    const body = { success: false, message: 'Invalid phone number' };
    faults.add({ kind: 'status', status: 400, route: 'trigger', times: 1, body });
    const placed = await place();
    expect(jsonOf(placed)).toHaveLength(9);
    expect(hintsOf(placed).join()).toContain('1 call was refused by the calling service');
  });

  it('keeps the outcome of a call that was placed while n8n was away for a while', async () => {
    await scheduled(1);
    let awayUntil = Infinity;
    world.tables.faultOf = () => {
      if (awayUntil === Infinity && !statuses().includes('placing')) return undefined;
      if (awayUntil === Infinity) awayUntil = Date.now() + 8_000;
      return Date.now() < awayUntil ? { kind: 'reset', when: 'before' } : undefined;
    };
    const { error } = await place();
    expect(error?.message).toMatch(/^1 person was called\. /);
    expect(rowOf(0)).toMatchObject({ status: 'in_progress', orderId: expect.any(String) });
  });

  it('calls a customer again who was called at once while n8n was away for a while', async () => {
    outcomes = { 'A-0': ['no_answer', 'Confirmed'] };
    let awayUntil = Infinity;
    world.tables.faultOf = () => {
      if (world.service.seen.calls.length === 0) return undefined;
      if (awayUntil === Infinity) awayUntil = Date.now() + 5_000;
      return Date.now() < awayUntil ? { kind: 'reset', when: 'before' } : undefined;
    };
    const done = await run(CALL_AGAIN_SOON);
    expect(jsonOf(done)).toEqual([
      expect.not.objectContaining({ callLogError: expect.anything() }),
    ]);
    makeDue();
    await place();
    await place();
    expect(world.service.seen.calls).toHaveLength(2);
  });

  it('has calls due again whose rows n8n has marked without saying so', async () => {
    await scheduled(2);
    let lost = 0;
    let isRead = false;
    world.tables.faultOf = ({ method, url }) => {
      if (!url.includes(`/${world.tables.idOf('Calls')}/`)) return undefined;
      isRead ||= url.includes('sortBy=runAt') && url.includes('scheduled');
      return isRead && method === 'PATCH' && lost++ < 4
        ? { kind: 'reset', when: 'after' }
        : undefined;
    };
    const { error } = await place();
    expect(error?.message).toMatch(/^Nobody was called\. /);
    expect(statuses()).toEqual(['scheduled', 'scheduled']);
    expect(jsonOf(await place())).toHaveLength(2);
  });

  it.each<[string, IDataObject, string]>([
    ['no channel', { maxInProgress: 0 }, 'Max in Progress is not a whole number from 1 to 1000'],
    ['half a channel', { maxInProgress: 1.5 }, 'Max in Progress is not a whole number'],
    ['no number', { maxInProgress: 'many' }, 'Max in Progress is not a whole number'],
    [
      'a time that is none',
      { options: { keepOnSeconds: -1 } },
      'Keep Placing For (Seconds) is not',
    ],
    ['no table', { callLogTable: '={{ null }}' }, 'Call Log Table is missing'],
    ['no such table', { callLogTable: { mode: 'name', value: 'X' } }, 'There is no data table "X"'],
  ])('tells before anything is done of %s', async (_, more, told) => {
    await scheduled(1);
    const { error } = await place(once, more);
    expect(error?.message).toContain(told);
    expect(world.service.seen.received).toEqual([]);
    expect(world.tables.idOf('X')).toBeUndefined();
  });

  it.each(['dryRun', 'simulate'])('tells of no such table also with %s', async (how) => {
    await scheduled(1);
    const more = { callLogTable: { mode: 'name', value: 'X' }, rules: { manualExecutions: how } };
    const { error } = await place(once, more, { mode: 'manual' });
    expect(error?.message).toContain('There is no data table "X"');
  });

  it('makes its table where there is no other call log', async () => {
    expect((await place(once)).error).toBeUndefined();
    expect(world.tables.idOf('Calls')).toBeDefined();
  });
});

describe('several tries', () => {
  const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
  const refuseSecond = () =>
    world.service.faults.add({
      kind: 'status',
      status: 401,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(1),
    });
  const calledPhones = () => world.service.seen.calls.map(({ body }) => body.customerPhone);

  it('never say that nobody was called when an earlier one has called somebody', async () => {
    await scheduled(2);
    refuseSecond();
    // n8n's API is away from the second try on.
    let isAway = false;
    world.tables.refuse = ({ method, url }) => {
      isAway ||=
        world.service.seen.requests.trigger >= 2 && /data-tables\?/.test(`${method}${url}`);
      return isAway;
    };
    const { error } = await place(once, {}, { settings: { ...retryOnFail, maxTries: 2 } });
    world.tables.refuse = () => false;
    expect(calledPhones()).toEqual([phoneOf(0)]);
    const [call] = world.service.seen.calls;
    expect(error?.message).toMatch(/^1 person was called\. /);
    expect(error?.description).toContain(`call IDs at the service ${call?.orderId}`);
    expect(error?.context?.data).toEqual({ placedOrderIds: [call?.orderId] });
  });

  it('tell an agent of everybody whom they have called, and each of its requests of its own', async () => {
    await scheduled(2);
    refuseSecond();
    const agent = new AgentTool({
      parameters: { resource: 'call', operation: 'placeScheduled', callLogTable, options: once },
      settings: retryOnFail,
      credential: credential(),
    });
    // What failed is due again some minutes later.
    let isDue = false;
    world.tables.refuse = ({ url }) => {
      if (isDue || world.service.seen.requests.trigger < 2 || !/data-tables\?/.test(url))
        return false;
      isDue = true;
      makeDue(rows().filter(({ status }) => status === 'scheduled'));
      return false;
    };
    const text = await agent.prepare()({});
    world.tables.refuse = () => false;
    expect(calledPhones()).toEqual([phoneOf(0), phoneOf(1)]);
    const orderIds = (JSON.parse(text) as IDataObject[]).map(({ orderId }) => orderId);
    expect(orderIds).toEqual(world.service.seen.calls.map(({ orderId }) => orderId));
    const next = await agent.prepare()({});
    expect(orderIds.filter((orderId) => next.includes(String(orderId)))).toEqual([]);
  });
});

describe('Call Customer and Wait', () => {
  it.each([true, false])(
    'tells that the customer is called again, simplified: %p',
    async (simplify) => {
      outcomes = { 'A-0': ['no_answer', 'no_answer'] };
      const call = {
        operation: 'triggerAndWait',
        scriptId: 7,
        customerPhone: phoneOf(0),
        additionalFields: { orderNumber: 'A-0' },
        callLog: 'dataTable',
        simplify,
        options: { maxWaitMinutes: 0.02, ...retryOf('30') },
      };
      const [item] = jsonOf(await run(call));
      const next = rows().find(({ status }) => status === 'scheduled');
      expect(next).toMatchObject({ attempt: 2 });
      expect(item).toMatchObject({ attempt: 1, nextAttemptAt: next?.dueAt });
    },
  );
});

describe('rows that a person has edited', () => {
  it.each<[string, IDataObject, string]>([
    ['no request', { request: 'call him' }, 'request'],
    [
      'a request without rules',
      { request: '{"variables":{},"settings":{"timezone":"UTC"}}' },
      'rules',
    ],
    ['no time zone', { request: '{"variables":{},"rules":{}}' }, 'time zone'],
    ['no phone', { customerPhone: null }, 'customerPhone is empty'],
    ['a phone that is none', { customerPhone: 'Nathan' }, 'customerPhone'],
    ['an attempt that is none', { attempt: -1 }, 'attempt'],
    ['a name of a broken cell', { customerName: '#REF!' }, 'customerName is "#REF!"'],
    ['an order number for a name', { customerName: '#1001' }, 'customerName is "#1001"'],
    ['no order number but an expression', { orderNumber: '{{ $json.x }}' }, 'orderNumber has an'],
    // As Schedule Call refuses it of an item.
    ['nothing for an order number', { orderNumber: 'null' }, 'orderNumber is "null"'],
    ['a script that is none', { scriptId: 7.5 }, 'scriptId is not a script id'],
  ])('end with their reason, and the others go on: %s', async (_, change, told) => {
    await scheduled(2);
    Object.assign(rowOf(0) ?? {}, change);
    expect(jsonOf(await place()).map(({ orderNumber }) => orderNumber)).toEqual(['A-1']);
    const row = rows().find(({ orderNumber }) => orderNumber !== 'A-1');
    expect(row?.status).toBe('not_placed');
    expect(row?.lastError).toMatch(/^Nobody was called/);
    expect(row?.lastError).toContain(told);
  });

  describe('of test calls', () => {
    const TEST_PHONE = '+12025550199';
    const scheduledTest = async () => {
      const parameters = { operation: 'schedule', scriptId: 7, customerPhone: phoneOf(0) };
      const rules = { manualExecutions: 'testPhone', testPhone: TEST_PHONE };
      const more: Partial<ExecutionRequest> = { mode: 'manual', items: itemsOf(1) };
      jsonOf(
        await run({ ...parameters, ...rulesAndOptions({ ...rules, ...retryOf(SOON) }) }, more),
      );
    };

    it('ring no phone but the test phone: nothing would protect a customer', async () => {
      await scheduledTest();
      Object.assign(rows()[0] ?? {}, { customerPhone: phoneOf(0) });
      const reason = 'Nobody was called: customerPhone is not the test phone of this test call';
      expect(jsonOf(await place())).toEqual([]);
      expect(rows()).toMatchObject([
        { status: 'not_placed', lastError: expect.stringContaining(reason) as string },
      ]);
      expect(world.service.seen.calls).toEqual([]);
    });

    it('ring the test phone however a person spells it, also when they are tried again', async () => {
      outcomes[''] = ['no_answer', 'Confirmed'];
      await scheduledTest();
      Object.assign(rows()[0] ?? {}, { customerPhone: '+1 (202) 555-0199' });
      for (let round = 0; round < 3; round++) jsonOf(await place());
      expect(world.service.seen.calls.map(({ phone }) => phone)).toEqual([TEST_PHONE, TEST_PHONE]);
    });
  });

  it('are due when a person has emptied their time', async () => {
    await scheduled(1);
    Object.assign(rowOf(0) ?? {}, { runAt: null, dueAt: null });
    expect(jsonOf(await place())).toHaveLength(1);
  });

  it('are told in a hint when nobody can be called by what they say', async () => {
    await scheduled(1);
    Object.assign(rows()[0] ?? {}, { customerPhone: 'later' });
    expect(hintsOf(await place())).toEqual([
      expect.stringMatching(
        /^1 call was due and ended, because nobody could be called: customerPhone/,
      ),
    ]);
  });

  it.each<[string, IDataObject, string]>([
    ['an empty phone', { customerPhone: '' }, 'customerPhone is empty'],
    ['an empty request', { request: '' }, 'request does not hold what was to be placed'],
    [
      'no variables',
      { request: '{"variables":"x"}' },
      'request does not hold the script variables',
    ],
    ...[
      [
        '{"variables":{"brand_name":"Hi undefined"}}',
        'script variable brand_name is "Hi undefined"',
      ],
      [
        '{"variables":{"customerPhone":"+1"}}',
        '"customerPhone" is a name that the calling service',
      ],
      ['{"retry":{"outcomes":"no_answer","afterMinutes":[30]}}', 'request does not hold the plan'],
      ['{"retry":"30"}', 'request does not hold the plan of Second Attempts'],
    ].map(([request = '', why = '']): [string, IDataObject, string] => [request, { request }, why]),
    ['no script', { scriptId: 0 }, 'scriptId is not a script id'],
    ['no attempt', { attempt: null }, 'attempt is no whole number above 0'],
    ['the attempt 0', { attempt: 0 }, 'attempt is no whole number above 0'],
    ['a time too far away', { runAt: 1e14, dueAt: null }, 'its time is more than ten years'],
  ])('are told when they end with %s, also by a dry run', async (_, edit, why) => {
    await scheduled(1);
    Object.assign(rows()[0] ?? {}, edit);
    const rules = { manualExecutions: 'dryRun' };
    const tried = hintsOf(await place(once, { rules }, { mode: 'manual' }));
    expect(hintsOf(await place())).toEqual([
      expect.stringMatching(`^1 call was due and ended, because nobody could be called: .*${why}`),
    ]);
    expect(rows()).toMatchObject([{ status: 'not_placed' }]);
    if (edit.runAt !== undefined) return;
    expect(tried).toEqual([
      expect.stringMatching(`^1 call was due and would end, because nobody.*: .*${why}`),
    ]);
  });

  it('tell a customer nothing of a script variable that a person has emptied, and read any other as an item has it', async () => {
    await scheduled(1);
    const [row] = rows();
    const stored = JSON.parse(String(row?.request)) as IDataObject;
    const variables = {
      brand_name: 'Acme',
      until: null,
      items: ['tea', 2],
      gift: true,
      sum: 1.1 * 3,
    };
    const more = { variables, orderNotes: 'Ring twice' };
    Object.assign(row ?? {}, { request: JSON.stringify({ ...stored, ...more }) });
    expect(jsonOf(await place())).toHaveLength(1);
    const sent = world.service.seen.received.find(({ method }) => method === 'POST')?.body;
    expect(sent).toMatchObject({
      brand_name: 'Acme',
      items: '["tea",2]',
      gift: 'true',
      sum: '3.3',
    });
    expect(sent).not.toHaveProperty('until');
  });

  it('are told when they end as copies, also by a dry run', async () => {
    await scheduled(2);
    const [first, second] = rows();
    Object.assign(second ?? {}, { callId: first?.callId });
    const rules = { manualExecutions: 'dryRun' };
    const tried = await place(once, { rules }, { mode: 'manual' });
    const ends = `because nobody could be called: it is a copy of row ${first?.id}`;
    expect(hintsOf(tried).join()).toContain(`1 call was due and would end, ${ends}`);
    expect(hintsOf(await place()).join()).toContain(`1 call was due and ended, ${ends}`);
  });

  it('names the time to which a person has moved the next call', async () => {
    await scheduled(1, {}, { callAt: '={{ $now.plus({ hours: 5 }) }}' });
    const moved = Date.now() + 3_600_000;
    Object.assign(rows()[0] ?? {}, { dueAt: new Date(moved).toISOString() });
    const next = onClockOf(moved, 'Asia/Kolkata').slice(0, 16).replace('T', ' ');
    expect(hintsOf(await place())[0]).toContain(`The next one is due ${next}`);
  });

  /** As the docs say: to call again afterwards. */
  const scheduleAgain = (attempt: number) => {
    const row = rows().find((one) => one.attempt === attempt);
    Object.assign(row ?? {}, { status: 'scheduled', finishedAt: null });
  };
  const watchLog = (options: IDataObject = {}, more: Partial<PublicationOptions> = {}) =>
    new Publication({
      credential: credential(),
      parameters: {
        ...{ watch: 'callLog', callLogTable: { __rl: true, ...callLogTable } },
        events: ['outcomeAvailable', 'outcomeUnavailable'],
        options: { fastChecks: false, ...options },
      },
      workflowId: JSON.stringify(options),
      ...more,
    });

  it('call nobody for the next attempt while the one before, which a person has scheduled again, goes on', async () => {
    outcomes = { 'A-0': ['no_answer', 'no_answer', 'Confirmed'] };
    await scheduled(1, retryOf('30'));
    await place();
    await place();
    scheduleAgain(1);
    makeDue(rows().filter(({ attempt }) => attempt === 2));
    const tried = await place(once, { rules: { manualExecutions: 'dryRun' } }, { mode: 'manual' });
    expect(hintsOf(tried).join()).toContain('another attempt at this call has not ended');
    expect(jsonOf(await place())).toMatchObject([{ attempt: 1 }]);
    expect(world.service.seen.calls).toHaveLength(2);
    await place();
    const byAttempt = (attempt: number) => rows().find((row) => row.attempt === attempt);
    expect(byAttempt(1)).toMatchObject({
      outcome: 'no_answer',
      nextAttemptAt: byAttempt(2)?.dueAt,
    });
    expect(Date.parse(String(byAttempt(2)?.dueAt))).toBeGreaterThan(Date.now() + 29 * 60_000);
    makeDue();
    expect(jsonOf(await place())).toMatchObject([{ attempt: 2 }]);
  });

  it('announce no further attempt when a person schedules one again after the last, whose outcome fires', async () => {
    outcomes = { 'A-0': ['no_answer', 'Confirmed', 'no_answer'] };
    const last = watchLog({ finalOnly: true });
    await last.poll();
    await scheduled(1, retryOf(SOON.slice(0, 6)));
    for (let times = 0; times < 3; times++) await place();
    scheduleAgain(1);
    await place();
    await place();
    await last.poll();
    expect(last.fired).toMatchObject([
      { attempt: 2, outcomeKey: 'confirmed' },
      { attempt: 1, outcomeKey: 'no_answer', nextAttemptAt: null },
    ]);
  });

  it('show and tell nothing of the call before when the one that was scheduled again is not placed', async () => {
    const trigger = watchLog({}, { workflowId: 'both' });
    await trigger.poll();
    await scheduled(1);
    await place();
    await place();
    await trigger.poll();
    scheduleAgain(1);
    Object.assign(rows()[0] ?? {}, { customerPhone: 'later' });
    await place();
    const none = { orderId: null, outcome: null, cost: null, summary: null };
    expect(rows()).toMatchObject([
      { status: 'not_placed', finishedAt: expect.any(String), ...none },
    ]);
    await trigger.poll();
    expect(trigger.fired.slice(1)).toMatchObject([{ endReason: 'notPlaced' }]);
    expect(trigger.fired[1]).not.toHaveProperty('orderId');
  });

  it('fire no outcome again while finishedAt is empty and scheduled is not written yet', async () => {
    outcomes = { 'A-0': ['no_answer', 'Confirmed'] };
    const trigger = watchLog();
    await trigger.poll();
    await scheduled(1, retryOf('30'));
    await place();
    await place();
    await trigger.poll();
    Object.assign(rows().find(({ attempt }) => attempt === 1) ?? {}, { finishedAt: null });
    const restarted = watchLog({}, { process: anotherProcess() });
    await restarted.poll();
    expect([...trigger.fired, ...restarted.fired]).toMatchObject([{ outcomeKey: 'no_answer' }]);
    scheduleAgain(1);
    expect(jsonOf(await place())).toMatchObject([{ attempt: 1 }]);
    await place();
    await restarted.poll();
    expect(restarted.fired).toMatchObject([{ attempt: 1, outcomeKey: 'confirmed' }]);
  });

  it.each<[string, IDataObject]>([
    ['its time of the machinery', { runAt: null }],
    ['its batch', { batch: null }],
  ])('tries in a dry run a row without %s, as it places it', async (_, cells) => {
    await scheduled(1);
    Object.assign(rows()[0] ?? {}, cells);
    const parameters = { rules: { manualExecutions: 'dryRun' } };
    const tried = await place(once, parameters, { mode: 'manual' });
    expect(jsonOf(tried)).toMatchObject([{ dryRun: true, wouldCall: true }]);
    expect(jsonOf(await place())).toHaveLength(1);
  });
});

describe('several at once', () => {
  it('place every call once, never more at once than they may, and say whose pace holds', async () => {
    await scheduled(12);
    const executions = await Promise.all(
      [1, 2, 3].map(async () => await place(once, { maxInProgress: 5 })),
    );
    const placed = executions.flatMap(jsonOf);
    expect(placed).toHaveLength(5);
    expect(world.service.seen.calls).toHaveLength(5);
    const hints = executions.flatMap(hintsOf);
    const pace =
      /the workflow ".*" \(Max in Progress 5\) already places the scheduled calls.* at its own pace/;
    expect(hints.filter((hint) => pace.test(hint))).toHaveLength(2);
  });

  it('do not place what is cancelled meanwhile, and let a call that rings go on', async () => {
    await scheduled(3, retryOf(SOON));
    const answer = world.service.faults.hold();
    outcomes = { 'A-0': ['no_answer', 'Confirmed'] };
    const placing = place({ ...once, concurrency: 1 }, { maxInProgress: 1 });
    while (world.service.seen.requests.trigger === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const cancel = { operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue: 'A-0' };
    const message = '1 call is being placed and is not tried again';
    expect(jsonOf(await run(cancel))).toMatchObject([{ cancelled: 1, message }]);
    expect(jsonOf(await run({ ...cancel, cancelValue: 'A-1' }))).toMatchObject([{ cancelled: 1 }]);
    answer();
    jsonOf(await placing);
    for (let round = 0; round < 4; round++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      jsonOf(await place());
    }
    expect(world.service.seen.calls.map(({ phone }) => phone)).toEqual([phoneOf(0), phoneOf(2)]);
    expect(rowOf(1)?.status).toBe('cancelled');
  });
});

describe('a call that ends without a label', () => {
  const watching = (options: IDataObject) =>
    new Publication({
      credential: credential(),
      parameters: { watch: 'callLog', callLogTable, options: { fastChecks: false, ...options } },
      workflowId: JSON.stringify(options),
    });

  afterEach(() => world.service.faults.clear());

  it('has one outcome for reports, plans and triggers: its status', async () => {
    const retry = { plan: { outcomes: 'No-Answer; Failed', afterMinutes: '30' } };
    await scheduled(1, { retry });
    const failed = watching({ outcomes: 'failed' });
    const others = watching({ outcomes: 'no_answer' });
    const last = watching({ finalOnly: true });
    for (const trigger of [failed, others, last]) await trigger.poll();
    await place();
    const orderId = world.service.seen.calls[0]?.orderId;
    const body = { success: true, orderId, callStatus: 'Failed', callDurationSec: 0 };
    world.service.faults.add({ kind: 'json', body, route: 'outcome', times: Infinity });
    await place();
    const report = { resource: 'callLog', operation: 'report', groupBy: 'outcome' };
    const [{ groups } = {}] = jsonOf(await run(report));
    expect(groups).toEqual([expect.objectContaining({ key: 'failed' })]);
    expect(rows().map(({ attempt, status }) => [attempt, status])).toEqual(
      expect.arrayContaining([
        [1, 'Failed'],
        [2, 'scheduled'],
      ]),
    );
    for (const trigger of [failed, others, last]) await trigger.poll();
    expect(failed.fired).toEqual([
      expect.objectContaining({
        callStatus: 'Failed',
        outcomeKey: null,
        nextAttemptAt: expect.any(String),
      }),
    ]);
    expect([...others.fired, ...last.fired]).toEqual([]);
  });
});

describe('a trigger that watches this instance', () => {
  const publish = (options: IDataObject = {}) =>
    new Publication({
      credential: credential(),
      parameters: {
        watch: 'instance',
        options: { fastChecks: false, firstCheckAfterSeconds: 0, ...options },
      },
      credentialId: '1',
      workflowId: JSON.stringify(options),
    });
  const attemptsOf = ({ fired }: Publication) =>
    fired.map(({ attempt, nextAttemptAt }) => [attempt, nextAttemptAt !== null]);

  afterEach(() => {
    apiKey = 'test-key';
  });

  it('knows which attempt has ended, and whether another follows', async () => {
    outcomes = { 'A-0': ['no_answer', 'Confirmed'] };
    apiKey = 'key-of-one';
    const triggers = [publish(), publish({ finalOnly: true })];
    const poll = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (const trigger of triggers) await trigger.poll();
    };
    await poll();
    await scheduled(1, retryOf(SOON));
    await place();
    await poll();
    await place();
    await place();
    await poll();
    const [all, final] = triggers.map(attemptsOf);
    expect(all).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(final).toEqual([[2, false]]);
  });

  it('knows it of a call that was not scheduled', async () => {
    outcomes = { 'A-0': ['no_answer', 'Confirmed'] };
    apiKey = 'key-of-another';
    const final = publish({ finalOnly: true });
    await final.poll();
    await run(CALL_AGAIN_SOON);
    // The first look is due.
    makeDue();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await final.poll();
    expect(final.fired).toEqual([]);
    await place();
    await place();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await final.poll();
    expect(attemptsOf(final)).toEqual([[2, false]]);
  });
});

it('marks no more calls at once than can be sent soon', async () => {
  await scheduled(12);
  let most = 0;
  const look = setInterval(() => {
    most = Math.max(most, statuses().filter((status) => status === 'placing').length);
  }, 1);
  const placed = await place({ ...once, concurrency: 1 }, { maxInProgress: 12 });
  clearInterval(look);
  expect(jsonOf(placed)).toHaveLength(12);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2);
});

/** Has n8n refuse the first change after a row was marked. Returns whether it has. */
function refuseAfterMark(): () => boolean {
  const change = `${world.tables.idOf('Calls')}/rows/update`;
  let isRefused = false;
  world.tables.refuse = ({ url }) => {
    const isNext = !isRefused && url.includes(change) && statuses().includes('placing');
    isRefused ||= isNext;
    return isNext;
  };
  return () => isRefused;
}

it('places or puts back a call that was marked before n8n marks no others, and tells which', async () => {
  await scheduled(1, { maxCallsPerDay: 100 });
  await scheduled(1, {}, { customerPhone: '+12025550177', additionalFields: { orderNumber: 'B' } });
  const isRefused = refuseAfterMark();
  const { error } = await place();
  expect(isRefused()).toBe(true);
  // Whichever comes first: the request of the first call, or n8n's refusal to mark the second.
  const isPlaced = world.service.seen.calls.length === 1;
  expect(error?.message).toContain(isPlaced ? '1 person was called' : 'Nobody was called');
  expect(statuses().sort()).toEqual([isPlaced ? 'in_progress' : 'scheduled', 'scheduled']);
  jsonOf(await place());
  expect(world.service.seen.calls).toHaveLength(2);
});

it('keeps the time that a person writes over a mark before its row is read again', async () => {
  await scheduled(3);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  let edits = 0;
  world.tables.beforeRows = () => {
    const isMarking = (world.tables.writes.at(-1) ?? '').includes('"status":"placing"');
    if (edits === 0 && isMarking) Object.assign(rows()[edits++] ?? {}, { status: 'cancelled' });
    else if (edits === 1 && statuses().includes('placing'))
      Object.assign(rows()[edits++] ?? {}, { status: 'scheduled', dueAt: tomorrow });
  };
  expect(jsonOf(await place())).toMatchObject([{ orderNumber: 'A-2' }]);
  world.tables.beforeRows = () => undefined;
  jsonOf(await place());
  expect(edits).toBe(2);
  expect(rowOf(1)).toMatchObject({ status: 'scheduled', dueAt: tomorrow, lastError: null });
  expect(world.service.seen.calls).toHaveLength(1);
});

it('places the other calls when a person edits one that n8n marks, and n8n does not put it back', async () => {
  await scheduled(4);
  const isRefused = refuseAfterMark();
  let isEdited = false;
  world.tables.beforeRows = () => {
    if (isEdited || !(world.tables.writes.at(-1) ?? '').includes('"status":"placing"')) return;
    isEdited = true;
    Object.assign(rows()[1] ?? {}, { customerName: 'Ada Lovelace' });
  };
  const placed = await place();
  world.tables.beforeRows = () => undefined;
  expect([isEdited, isRefused()]).toEqual([true, true]);
  expect(jsonOf(placed)).toHaveLength(3);
  expect(statuses()).toEqual(['scheduled', 'in_progress', 'in_progress', 'in_progress']);
  expect(jsonOf(await place())).toHaveLength(1);
});
