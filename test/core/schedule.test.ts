import type { IDataObject, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { listOf } from '../dataTables/doNotCallTable';
import { rulesAndOptions } from '../rulesAndOptions';
import { BEGINS, resetClock } from './clock';
import { AgentTool, execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { itemsOf, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();

const toTable = (settings: IDataObject = {}, more: IDataObject = {}): IDataObject => ({
  resource: 'call',
  operation: 'schedule',
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.number }}', customerName: 'Nathan' },
  callLogTable: { mode: 'name', value: 'Calls' },
  ...rulesAndOptions(settings),
  ...more,
});
const run = async (
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> =>
  await execute({ parameters, items: itemsOf(3), credential: world.credential(), ...more });
const rows = () => world.tables.rowsOf('Calls');
const statuses = () => rows().map(({ status }) => status);
const storedIn = (index: number) => JSON.parse(String(rows()[index]?.request)) as IDataObject;

/** Time zone of the customers. */
const NEW_YORK = { workflowSettings: { timezone: 'America/New_York' } };
afterEach(() => void jest.restoreAllMocks());
afterEach(resetClock);

/** Has it be this hour for the customers now. */
function setHour(hour: number): void {
  const { now } = Date;
  const { timezone } = NEW_YORK.workflowSettings;
  const later = DateTime.now().setZone(timezone).set({ hour }).toMillis() - now();
  jest.spyOn(Date, 'now').mockImplementation(() => now() + later);
}

const NO_TIME = 'Call At has an expression that gives nothing';

describe('Schedule', () => {
  it('writes a row for each item, and calls nobody', async () => {
    const callAt = '2027-03-01T09:30:00';
    const output = jsonOf(await run(toTable({}, { callAt })));
    expect(output).toHaveLength(3);
    expect(output[1]).toEqual({
      callId: expect.any(String),
      status: 'scheduled',
      callAt: '2027-03-01T09:30:00+05:30',
      attempt: 1,
      customerPhone: phoneOf(1),
      orderNumber: 'A-1',
    });
    expect(statuses()).toEqual(['scheduled', 'scheduled', 'scheduled']);
    const at = Date.parse('2027-03-01T04:00:00Z');
    expect(rows()[1]).toMatchObject({
      orderNumber: 'A-1',
      customerName: 'Nathan',
      customerPhone: phoneOf(1),
      attempt: 1,
      // Calls of one list are told apart by a millisecond.
      dueAt: new Date(at + 1).toISOString(),
      callId: output[1]?.callId,
      lastError: null,
      triggeredAt: null,
      orderId: null,
    });
    expect(rows()[1]?.runAt).toBe(at + 1);
    expect(world.service.seen.received).toEqual([]);
  });

  it('refuses a time zone of the workflow in which no call could be placed', async () => {
    const workflowSettings = { timezone: '+02:00' };
    const { error } = await run(toTable(), { workflowSettings });
    expect(error?.message).toMatch(
      /^Nobody was called\. The time zone of the workflow "\+02:00" is not a name such as Europe/,
    );
    expect(error?.description).toContain('Choose one in its settings.');
    expect(rows()).toEqual([]);
  });

  it('keeps with the call what it takes to place it', async () => {
    const rules = {
      manualExecutions: 'dryRun',
      maxCalls: 10,
      outsideCallingHours: 'fail',
      maxCallsPerDay: '={{ 7 }}',
      callingHours: { hours: { start: '09:00', end: '18:00', days: ['mon'], timezone: 'UTC' } },
    };
    const retry = { plan: { outcomes: 'No answer; Busy\nno-answer', afterMinutes: '0.5, 2' } };
    jsonOf(await run(toTable({ ...rules, retry, defaultCountry: 'us' })));
    expect(storedIn(0)).toEqual({
      scriptId: 7,
      variables: {},
      retry: { outcomes: ['no_answer', 'busy'], afterMinutes: [0.5, 2] },
      rules: {
        maxCallsPerDay: 7,
        callingHours: { hours: { ...rules.callingHours.hours, customersTimezone: false } },
      },
      settings: { timezone: 'Asia/Kolkata', defaultCountry: 'US' },
    });
  });

  it.each<[string, string | number, number]>([
    ['with an offset', '2027-03-01T09:30:00+01:00', Date.parse('2027-03-01T08:30:00Z')],
    ['of the workflow', '2027-03-01T09:30', Date.parse('2027-03-01T04:00:00Z')],
    ['milliseconds', 1_800_000_000_000, 1_800_000_000_000],
  ])('takes a time %s', async (_, callAt, at) => {
    jsonOf(
      await run(toTable({}, { callAt: '={{ $json.at }}' }), {
        items: [item({ at: callAt as string })],
      }),
    );
    expect(Math.floor(Number(rows()[0]?.runAt))).toBe(at);
  });
  const item = (more: IDataObject): INodeExecutionData => ({
    json: { phone: phoneOf(0), number: 'A-0', ...more },
  });

  it('takes the dates that expressions give', async () => {
    const callAt = '={{ $now.plus({ hours: 2 }) }}';
    jsonOf(await run(toTable({}, { callAt })));
    const inTwoHours = DateTime.now().plus({ hours: 2 }).toMillis();
    expect(Math.abs(Number(rows()[0]?.runAt) - inTwoHours)).toBeLessThan(30_000);
    world.tables.reset();
    jsonOf(await run(toTable({}, { callAt: '={{ new Date(1800000000000) }}' })));
    expect(Math.floor(Number(rows()[0]?.runAt))).toBe(1_800_000_000_000);
  });

  it('is due at once without a time, and for a time that has just passed, and says so', async () => {
    const done = await run(toTable());
    const [{ callAt } = {}] = jsonOf(done);
    expect(Date.parse(String(callAt))).toBeLessThanOrEqual(Date.now());
    expect(hintsOf(done)).toContain('3 of 3 calls are due at once');
    const some = `={{ $itemIndex === 1 ? '2027-03-01T09:30' : $now.minus({ hours: 3 }) }}`;
    setHour(12);
    const again = await run(toTable({ scheduleAgain: true }, { callAt: some }), NEW_YORK);
    expect(hintsOf(again)).toContain('2 of 3 calls are due at once');
    world.tables.reset();
    jsonOf(await run(toTable({}, { callAt: '={{ $now.minus({ hours: 3 }) }}' })));
    for (const { runAt } of rows()) {
      expect(Number(runAt)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('says what places scheduled calls and second attempts, until something does', async () => {
    const retry = { plan: { outcomes: 'no_answer', afterMinutes: '30' } };
    const call = { operation: 'trigger', callLog: 'dataTable' };
    const isTold = async (settings: IDataObject, more: IDataObject = {}) =>
      hintsOf(await run(toTable(settings, more)))
        .join()
        .includes('Scheduled calls wait until');
    expect(await isTold({})).toBe(true);
    expect(await isTold({ retry }, call)).toBe(true);
    expect(await isTold({}, call)).toBe(false);
    await run(toTable({}, { operation: 'placeScheduled', options: { keepOnSeconds: 0 } }));
    expect(await isTold({})).toBe(false);
    expect(await isTold({ retry }, call)).toBe(false);
  });

  it('says which calls are due at night, when no calling hours move them', async () => {
    const callAt = `={{ ['2027-03-01T07:59', '2027-03-01T21:00', '2027-03-01T20:59'][$itemIndex] }}`;
    expect(hintsOf(await run(toTable({}, { callAt }), NEW_YORK))).toContain(
      '2 of 3 calls are due at night, between 21:00 and 08:00 in America/New_York: add the rule "Calling Hours"',
    );
    world.tables.reset();
    const hours = { start: '09:00', end: '18:00', days: ['mon'], timezone: 'UTC' };
    const done = await run(toTable({ callingHours: { hours } }, { callAt }));
    expect(hintsOf(done).join()).not.toContain('night');
  });

  it.each([
    ['at night, whose time was in the afternoon', 2, 9],
    ['in the morning, whose time was at night', 10, 4],
  ])('says of a call that is due at once %s, when it rings', async (_, hour, hours) => {
    setHour(hour);
    const callAt = `={{ $now.minus({ hours: ${hours} }) }}`;
    const done = await run(toTable({}, { callAt }), NEW_YORK);
    expect(hintsOf(done).join().includes('due at night')).toBe(hour === 2);
  });

  it("says it by the customers' clocks, where that of the workflow is far from them", async () => {
    const callAt = '={{ $json.at }}';
    const [american, indian] = [phoneOf(0), '+919812345678'];
    const items = [
      { phone: american, number: 'A-0', at: '2027-03-01T19:00:00Z' },
      { phone: indian, number: 'A-1', at: '2027-03-01T19:00:00Z' },
      { phone: indian, number: 'A-2', at: '2027-03-02T03:30:00Z' },
    ].map((json) => ({ json }));
    const hints = hintsOf(await run(toTable({}, { callAt }), { ...NEW_YORK, items }));
    expect(hints.filter((hint) => hint.includes('night'))).toEqual([
      expect.stringMatching(/^1 of 3 calls is due at night, .* in Asia\/(?:Calcutta|Kolkata): add/),
    ]);
  });

  it('says that second attempts may ring at night, when no calling hours move them', async () => {
    const retry = { retry: { plan: { outcomes: 'busy', afterMinutes: '30' } } };
    const night = 'Second attempts may ring at night: add the rule "Calling Hours"';
    expect(hintsOf(await run(toTable(retry)))).toContain(night);
    const hours = { start: '09:00', end: '18:00', days: ['mon'], timezone: 'UTC' };
    const test = { manualExecutions: 'testPhone', testPhone: '+12025550100' };
    for (const rules of [{ callingHours: { hours } }, test]) {
      world.tables.reset();
      const done = await run(toTable({ ...retry, ...rules }), { mode: 'manual' });
      expect(hintsOf(done)).not.toContain(night);
    }
    expect(hintsOf(await run(toTable()))).not.toContain(night);
  });

  it.each(['2027-03-01', '2027-03-01T00:00:00', '2027-02-28T24:00', '2027-03-01T00:00:00.000Z'])(
    'refuses %p, a day without a time of day, unless calling hours give the time',
    async (callAt) => {
      const { error } = await run(toTable({}, { callAt }));
      expect(error?.message).toContain(`Call At "${callAt}" is a day without a time of day`);
      expect(rows()).toEqual([]);
      const hours = { start: '09:00', end: '18:00', days: ['mon'], timezone: 'UTC' };
      jsonOf(await run(toTable({ callingHours: { hours } }, { callAt })));
      expect(rows()).toHaveLength(3);
      expect(rows()[0]?.dueAt).toBe('2027-03-01T00:00:00.000Z');
    },
  );

  it('refuses the day that has begun, without a time of day: it may be night', async () => {
    const callAt = new Date().toISOString().slice(0, 10);
    const { error } = await run(toTable({}, { callAt }), { workflowSettings: { timezone: 'UTC' } });
    expect(error?.message).toContain(`Call At "${callAt}" is a day without a time of day`);
    expect(rows()).toEqual([]);
  });

  it.each(['customerName', 'orderNumber'])('refuses a switch as %s', async (field) => {
    const additionalFields = { orderNumber: '={{ $json.orderNumber }}', [field]: '={{ false }}' };
    const { error } = await run(toTable({}, { additionalFields }));
    expect(error?.message).toMatch(/^Nobody was called\. .* is false, which is no text/);
    expect(rows()).toEqual([]);
  });

  it.each([
    // Its last clocks are those of Hawaii.
    ['the United States', '+12025551000', '2027-03-01T10:00:00.000Z'],
    ['India', '+919812345678', '2027-02-28T18:30:00.000Z'],
    ['Germany', '+4915112345678', '2027-02-28T23:00:00.000Z'],
  ])('begins a day on the clocks of a customer in %s', async (_, customerPhone, dueAt) => {
    const hours = { start: '09:00', end: '18:00', days: ['mon'], customersTimezone: true };
    const parameters = toTable(
      { callingHours: { hours: { ...hours, timezone: 'workflow' } } },
      { customerPhone, callAt: '2027-03-01' },
    );
    const workflowSettings = { timezone: 'America/New_York' };
    jsonOf(await run(parameters, { items: itemsOf(1), workflowSettings }));
    expect(rows()[0]?.dueAt).toBe(dueAt);
  });

  it.each([
    ['east of the workflow', '+919876543210', '2026-12-01T21:00:00Z', 'America/New_York'],
    ['west of the workflow', '+12025551000', '2026-12-02T09:00:00Z', 'Pacific/Auckland'],
  ])('has a call for today placed to a customer %s', async (_, customerPhone, now, timezone) => {
    jest.setSystemTime(new Date(now));
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const hours = { start: '00:00', end: '24:00', days, timezone: 'workflow' };
    const settings = { callingHours: { hours: { ...hours, customersTimezone: true } } };
    const forToday = toTable(settings, { customerPhone, callAt: '2026-12-01' });
    const more = { items: itemsOf(1), workflowSettings: { timezone } };
    expect(hintsOf(await run(forToday, more))).toContain('1 of 1 calls is due at once');
    const { callLogTable } = forToday;
    const placing = { resource: 'call', operation: 'placeScheduled', callLogTable };
    jsonOf(await run({ ...placing, options: { keepOnSeconds: 0 } }, more));
    expect(world.service.seen.calls).toHaveLength(1);
    // The day has ended in Hawaii too.
    jest.setSystemTime(new Date('2026-12-02T10:01:00Z'));
    const { error } = await run(forToday, more);
    expect(error?.message).toContain('lies more than a day in the past');
  });

  it('says of broken calling hours only what is wrong with them', async () => {
    const hours = { start: 'nine', end: '18:00', days: ['mon'], timezone: 'UTC' };
    const { error } = await run(toTable({ callingHours: { hours } }, { callAt: '2027-03-01' }));
    expect(error?.message).toContain('Calling Hours have no readable start');
    expect(`${error?.message} ${error?.description}`).not.toContain('Call At');
  });

  it('keeps an order number without the spaces around it, by which it can be cancelled', async () => {
    jsonOf(await run(toTable({}, { additionalFields: { orderNumber: ' A-7 ' } })));
    const cancel = { resource: 'call', operation: 'cancelScheduled', cancelValue: ' A-7 ' };
    const callLogTable = { mode: 'name', value: 'Calls' };
    const output = jsonOf(await run({ ...cancel, callLogTable }, { items: [{ json: {} }] }));
    expect(output).toMatchObject([{ cancelled: 3 }]);
  });

  it('keeps the order of 5,000 items, in few requests', async () => {
    const before = world.tables.count;
    const output = jsonOf(
      await run(toTable({ preventDuplicates: true }), { items: itemsOf(5_000) }),
    );
    expect(world.tables.count - before).toBeLessThan(75);
    expect(output.map(({ customerPhone }) => customerPhone)).toEqual(
      itemsOf(5_000).map(({ json }) => json.phone),
    );
    const due = rows().toSorted((a, b) => Number(a.runAt) - Number(b.runAt));
    expect(due.map(({ orderNumber }) => orderNumber)).toEqual(
      itemsOf(5_000).map(({ json }) => json.number),
    );
    expect(new Set(statuses())).toEqual(new Set(['scheduled']));
    expect(world.service.seen.received).toEqual([]);
  });

  it('tells of duplicates of calls that nobody places, because their key was exchanged', async () => {
    const rules = { preventDuplicates: true };
    await run(toTable(rules));
    for (const row of rows()) row.account = 'other';
    const again = await run(toTable(rules));
    expect(jsonOf(again)[0]).toMatchObject({ reason: 'duplicate' });
    expect(hintsOf(again)).toContainEqual(
      expect.stringMatching(/^\d rows? written with another API key .* out of reach/),
    );
  });

  it('claims the duplicate key, which stays claimed, and writes no row for a duplicate', async () => {
    const rules = { preventDuplicates: true };
    jsonOf(await run(toTable(rules)));
    const again = jsonOf(await run(toTable(rules)));
    expect(again[0]).toEqual({
      skipped: true,
      reason: 'duplicate',
      customerPhone: phoneOf(0),
      orderNumber: 'A-0',
    });
    expect(statuses()).toEqual(['scheduled', 'scheduled', 'scheduled']);
  });
});

describe('mistakes', () => {
  it('names the item whose call log is another one, and schedules nobody', async () => {
    const callLogTable = { __rl: true, mode: 'name', value: '=Calls of {{ $json.number }}' };
    const { error } = await run(toTable({}, { callLogTable }));
    expect(error?.message).toContain('Call Log Table differs between the items: item 1');
    expect(world.tables.tables.map(({ name }) => name)).toEqual([]);
  });

  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const HOUR = 3_600_000;
  const plan = (afterMinutes: unknown, outcomes: unknown = 'no_answer') => ({
    retry: { plan: { outcomes, afterMinutes } },
  });
  it.each<[string, IDataObject, IDataObject, string]>([
    ['a time that is none', {}, { callAt: 'tomorrow' }, 'Call At "tomorrow" is no date and time'],
    ['a time of a column that is not there', {}, { callAt: '={{ $json.when }}' }, NO_TIME],
    ['a time from an empty cell', {}, { callAt: "={{ '' }}" }, NO_TIME],
    ['a time from a cell of spaces', {}, { callAt: "={{ ' ' }}" }, NO_TIME],
    ['a time long past', {}, { callAt: at(-25 * HOUR) }, 'lies more than a day in the past'],
    [
      'an outcome after which nobody and everybody is to be called again',
      {
        retry: { plan: { outcomes: 'busy, Wrong number', afterMinutes: '30' } },
        doNotCallTable: { mode: 'name', value: 'Do not call' },
        doNotCallOutcomes: 'wrong_number',
      },
      {},
      'After Outcomes name "wrong_number", as Do-Not-Call Outcomes do',
    ],
    ['a time too far ahead', {}, { callAt: '2060-01-01T09:00' }, 'more than ten years ahead'],
    ['delays that do not grow', plan('30, 30'), {}, 'do not grow: 30 comes after 30'],
    ['delays that shrink', plan([30, 20]), {}, 'do not grow: 20 comes after 30'],
    ['delays that are no numbers', plan('30, soon'), {}, 'has "soon"'],
    ['a delay of nothing', plan('0, 5'), {}, 'has "0"'],
    ['no delays', plan(''), {}, 'After Minutes is empty'],
    ['more than ten attempts', plan('1,2,3,4,5,6,7,8,9,10'), {}, 'would make 11 attempts'],
    ['no outcomes', plan('30', ''), {}, 'After Outcomes is empty'],
    ['a word for all outcomes', plan('30', 'busy, All'), {}, 'After Outcomes name "all"'],
    ['no plan', { retry: {} }, {}, 'Second Attempts have no plan'],
    [
      'a plan in a form that the panel does not write',
      { retry: { plan: [{ outcomes: 'busy', afterMinutes: '30' }] } },
      {},
      'After Outcomes is empty',
    ],
    ['no phone', {}, { customerPhone: '12' }, 'Customer Phone "12"'],
    [
      'hours that never are',
      { callingHours: { hours: { start: 'nine', end: '18:00', days: ['mon'], timezone: 'UTC' } } },
      {},
      'Calling Hours',
    ],
    ['a cap that is none', { maxCallsPerDay: 'few' }, {}, 'Max Calls per Day'],
    [
      'a rule whose value is missing',
      { maxCallsPerDay: '={{ $json.no }}' },
      {},
      'Max Calls per Day',
    ],
  ])('tells before anything is written of %s', async (_, settings, more, told) => {
    const { error } = await run(toTable(settings, more));
    expect(`${error?.message} ${error?.description}`).toContain(told);
    expect(world.tables.idOf('Calls')).toBeUndefined();
  });

  it('tells the mistakes of all items together', async () => {
    const callAt = '={{ $json.at }}';
    const items = ['2027-01-01T09:00', 'never', 'whenever'].map((when, index) => ({
      json: { phone: phoneOf(index), at: when },
    }));
    const { error } = await run(toTable({}, { callAt, additionalFields: {} }), { items });
    expect(error?.message).toBe('Nobody was called. 2 mistakes in 2 items: nothing was sent');
    expect(world.tables.idOf('Calls')).toBeUndefined();
  });

  it('schedules the other items when the node continues on error', async () => {
    const items = [...itemsOf(2), { json: { phone: '12' } }];
    const execution = await run(toTable(), {
      items,
      settings: { onError: 'continueRegularOutput' },
    });
    expect(jsonOf(execution).map(({ status }) => status)).toEqual([
      'scheduled',
      'scheduled',
      undefined,
    ]);
    expect(statuses()).toEqual(['scheduled', 'scheduled']);
  });

  it('names outcomes of a plan that are not usual, and that no call of the log has ended with', async () => {
    const retry = (outcomes: string) => ({ retry: { plan: { outcomes, afterMinutes: '30' } } });
    const unseen = async (outcomes: string) =>
      hintsOf(await run(toTable(retry(outcomes)))).filter((hint) => hint.includes('ended with'));
    expect(await unseen('No Answer; Voice mail, FAILED\nGiven up')).toEqual([]);
    const [hint = '', ...more] = await unseen('no answer voicemail, Call me later, busy');
    expect(more).toEqual([]);
    expect(hint).toContain('ended with "no_answer_voicemail", "call_me_later" lately');
    expect(hint).toContain('After Outcomes');
    const finishedAt = new Date().toISOString();
    Object.assign(rows()[0] ?? {}, { status: 'completed', outcome: 'Call Me Later', finishedAt });
    expect(await unseen('call-me later')).toEqual([]);
  });

  it('names outcomes for the do-not-call list that no call of the log has ended with', async () => {
    world.tables.tables.push(listOf([]));
    const doNotCallTable = { mode: 'name', value: 'Do not call' };
    const unseen = async (doNotCallOutcomes: string) =>
      hintsOf(await run(toTable({ doNotCallTable, doNotCallOutcomes }))).filter((hint) =>
        hint.includes('ended with'),
      );
    expect(await unseen('do_not_call, voicemail')).toEqual([]);
    expect(await unseen('Opt out')).toEqual([
      expect.stringMatching(/ended with "opt_out" lately: check the spelling under Do-Not-Call/),
    ]);
  });

  it('says nothing about outcomes of a log where there is none', async () => {
    world.tables.tables.push(listOf([]));
    const rules = {
      doNotCallTable: { mode: 'name', value: 'Do not call' },
      doNotCallOutcomes: 'Opt out',
    };
    const call = { operation: 'triggerAndWait', ...rulesAndOptions(rules), callLog: 'none' };
    const told = await run(toTable({}, { ...call, options: { maxWaitMinutes: 0.02 } }));
    expect(told.error).toBeUndefined();
    expect(hintsOf(told).join()).not.toContain('this log');
  });

  it('warns of hours by a clock that is far from that of the customers', async () => {
    const hours = { start: '09:00', end: '18:00', days: ['mon'] };
    const told = await run(toTable({ callingHours: { hours } }));
    expect(hintsOf(told)).toContainEqual(
      expect.stringContaining('go by Asia/Kolkata, the time zone of the workflow'),
    );
  });

  it('asks for a plan of second attempts only with a call log where calls are placed at once', async () => {
    const trigger = { operation: 'trigger', ...rulesAndOptions(plan('30')) };
    const { error } = await run(toTable({}, trigger), { items: itemsOf(1) });
    expect(error?.message).toContain('Second Attempts need a call log');
    expect(world.service.seen.received).toEqual([]);
  });
});

describe('manual executions', () => {
  const manual: WorkflowExecuteMode = 'manual';

  it('schedules test calls to the test phone', async () => {
    const testCalls = {
      manualExecutions: 'testPhone',
      testPhone: '+12025550199',
      maxCallsPerDay: 1,
    };
    const output = jsonOf(await run(toTable(testCalls), { mode: manual }));
    expect(output[0]).toMatchObject({ customerPhone: '+12025550199', testCall: true });
    expect(rows()[0]).toMatchObject({ customerName: 'Test call (Nathan)', status: 'scheduled' });
    expect(storedIn(0)).toMatchObject({ testCall: true, inPlaceOf: phoneOf(0), rules: {} });
  });

  it('writes nothing in a dry run, and says what would happen', async () => {
    const rules = { manualExecutions: 'dryRun', preventDuplicates: true };
    const items = [...itemsOf(2), ...itemsOf(1)];
    const callAt = '2027-03-01T09:30:00';
    const output = jsonOf(await run(toTable(rules, { callAt }), { mode: manual, items }));
    expect(output[0]).toMatchObject({
      dryRun: true,
      wouldCall: true,
      callAt: '2027-03-01T09:30:00+05:30',
    });
    expect(output[2]).toMatchObject({ dryRun: true, wouldCall: false, reason: 'duplicate' });
    expect(world.tables.idOf('Calls')).toBeUndefined();
    expect(world.keys.size).toBe(0);
  });
});

/** Whether a request has a list be due whose rows are written. */
const isRelease = () => {
  let isWritten = false;
  return ({ method, url }: { method: string; url: string }) => {
    isWritten ||= method === 'POST' && url.endsWith('/rows');
    return isWritten && method === 'PATCH';
  };
};
/** n8n does it, and is away from then on. */
const awayWithRelease = () => {
  const release = isRelease();
  let isAway = false;
  return (request: { method: string; url: string }) => {
    const isFirst = release(request) && !isAway;
    const when: 'before' | 'after' = isFirst ? 'after' : 'before';
    isAway ||= isFirst;
    return isAway ? { kind: 'reset' as const, when } : undefined;
  };
};

describe('tries of one execution', () => {
  const another: INodeExecutionData[] = [{ json: { phone: phoneOf(99), number: 'B-1' } }];
  const retries = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };
  const failOnce = (method: string, nth: number, when: 'before' | 'after', times = 1) => {
    let left = nth;
    let more = times;
    world.tables.faultOf = (request) => {
      if (request.method !== method || request.url.includes('columns')) return undefined;
      return left-- <= 0 && more-- > 0 ? { kind: 'status', when } : undefined;
    };
  };

  it.each(['before', 'after'] as const)(
    'schedule a call once when n8n failed %s it had written the rows',
    async (when) => {
      jsonOf(await run(toTable(), { items: another }));
      const [first] = rows();
      // Every repetition of the request that writes the rows fails.
      failOnce('POST', 0, when, 4);
      const execution = await run(toTable({ preventDuplicates: true }), { settings: retries });
      expect(jsonOf(execution).map(({ status }) => status)).toEqual(Array(3).fill('scheduled'));
      const scheduled = rows().filter(
        ({ status, id }) => status === 'scheduled' && id !== first?.id,
      );
      const calls = new Set(scheduled.map(({ callId }) => callId));
      expect(calls.size).toBe(3);
      expect(rows().filter(({ status }) => status === 'not_placed')).toEqual([]);
    },
  );

  it('gives a claimed key back when n8n has surely written nothing', async () => {
    const execution = await run(toTable({ preventDuplicates: true }), {
      items: itemsOf(2),
      settings: { onError: 'continueRegularOutput' },
    });
    jsonOf(execution);
    world.keys.clear();
    world.tables.faultOf = ({ method, url }) =>
      method === 'DELETE' && url.includes('dryRun')
        ? { kind: 'status', when: 'before' }
        : undefined;
    const failed = await run(toTable({ preventDuplicates: true }));
    expect(failed.error).toBeDefined();
    expect(world.keys.size).toBe(0);
  });

  it.each([
    ['schedule what an account that was exchanged has surely not scheduled', 'before'],
    ['schedule nothing again that an account that was exchanged may have scheduled', 'after'],
  ] as const)('%s', async (_, when) => {
    world.tables.faultOf =
      when === 'after'
        ? awayWithRelease()
        : ({ method }) => (method === 'POST' ? { kind: 'reset', when } : undefined);
    const failed = await run(toTable());
    world.tables.faultOf = () => undefined;
    expect(failed.error).toBeDefined();
    const exchanged = { ...world.credential(), apiKey: 'new-key' };
    const again = await run(toTable(), { retryOf: failed, credential: exchanged });
    const scheduled = rows().filter(({ status }) => status === 'scheduled');
    // Rows with the same id are rows of the same call.
    expect(new Set(scheduled.map(({ callId }) => callId)).size).toBe(3);
    if (when === 'before') expect(again.error).toBeUndefined();
    else
      expect(again.error?.message).toMatch(
        /or may have been, by an earlier try .* another account/,
      );
  });

  it('do not schedule again by hand what the failed one has scheduled', async () => {
    failOnce('DELETE', 2, 'before', 40);
    const failed = await run(toTable({ preventDuplicates: true }));
    world.tables.faultOf = () => undefined;
    const again = await run(toTable({ preventDuplicates: true }), { retryOf: failed });
    expect(again.error ?? failed.error).toBeUndefined();
    expect(new Set(rows().map(({ callId }) => callId)).size).toBe(3);
  });

  it('schedule each round of a loop when that is wanted', async () => {
    jsonOf(await run(toTable({ scheduleAgain: true }), { rounds: 2 }));
    expect(statuses()).toHaveLength(6);
  });

  it('schedule what an agent asks for twice once', async () => {
    const parameters = toTable({}, { customerPhone: phoneOf(1), additionalFields: {} });
    const tool = new AgentTool({ parameters, credential: world.credential() });
    const [one, two] = [tool.prepare(), tool.prepare()];
    const answers = await Promise.all([one({}), two({})]);
    await tool.prepare()({});
    const ids = answers.map((answer) => (JSON.parse(answer) as IDataObject[])[0]?.callId);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(rows().map(({ callId }) => callId)).size).toBe(1);
  });

  const agentTool = (rules: IDataObject = {}) =>
    new AgentTool({
      parameters: toTable(rules, {
        customerPhone: '={{ $fromAI("phone") }}',
        callAt: '={{ $fromAI("at") }}',
        additionalFields: { orderNumber: 'A-1', customerName: '={{ $fromAI("name") }}' },
      }),
      credential: world.credential(),
    });
  const morning = { phone: phoneOf(1), at: '2027-03-01T09:30:00', name: 'Nathan' };
  const answerOf = (answer: string) => (JSON.parse(answer) as IDataObject[])[0];

  it('move the call of an agent that cancels it, as it is told to, also under Prevent Duplicates', async () => {
    const tool = agentTool({ preventDuplicates: true });
    await tool.prepare()(morning);
    const moved = { ...morning, at: '2027-03-01T15:00:00' };
    expect(answerOf(await tool.prepare()(moved))).toMatchObject({ reason: 'earlierTry' });
    const cancel = { operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue: 'A-1' };
    jsonOf(await run({ ...toTable(), ...cancel }, { items: itemsOf(1) }));
    expect(answerOf(await tool.prepare()(moved))).toMatchObject({ status: 'scheduled' });
    expect(statuses()).toEqual(['cancelled', 'scheduled']);
    // The key stays claimed for others.
    const another = agentTool({ preventDuplicates: true });
    expect(answerOf(await another.prepare()(moved))).toMatchObject({ reason: 'duplicate' });
  });

  it.each([
    ['another time', { at: '2027-03-01T15:00:00' }],
    ['a call at once', { at: BEGINS.toISOString() }],
    ['a call to another name', { name: 'Nora' }],
  ])('tell an agent that asks for %s which time stands', async (_, changed) => {
    const tool = agentTool();
    const first = answerOf(await tool.prepare()(morning));
    const second = await tool.prepare()({ ...morning, ...changed });
    const callAt = '2027-03-01T09:30:00+05:30';
    expect(first).toMatchObject({ status: 'scheduled', callAt });
    expect(answerOf(second)).toEqual({
      skipped: true,
      reason: 'earlierTry',
      customerPhone: phoneOf(1),
      orderNumber: 'A-1',
      callId: first?.callId,
      callAt,
      message: `Nobody was called: this execution has scheduled this call for ${callAt}. That stands: to change it, cancel the call first`,
    });
    expect(rows().map(({ dueAt }) => dueAt)).toEqual(['2027-03-01T04:00:00.000Z']);
  });

  it('tell an agent which time stands when it asks for two times at once', async () => {
    const tool = agentTool();
    const [one, two] = [tool.prepare(), tool.prepare()];
    const answers = await Promise.all([
      one(morning),
      two({ ...morning, at: '2027-03-01T15:00:00' }),
    ]);
    const [first, second] = answers.map(answerOf);
    expect(first).toMatchObject({ status: 'scheduled', callAt: '2027-03-01T09:30:00+05:30' });
    expect(second).toMatchObject({ skipped: true, callAt: first?.callAt, callId: first?.callId });
    expect(statuses()).toEqual(['scheduled']);
  });

  it('give an agent that repeats a request for a call at once the same item', async () => {
    const tool = agentTool();
    const now = () => new Date().toISOString();
    const first = await tool.prepare()({ ...morning, at: now() });
    expect(await tool.prepare()({ ...morning, at: now() })).toBe(first);
  });

  it('schedule what an agent asks for twice at once, though duplicates are prevented', async () => {
    const more = { customerPhone: phoneOf(1), additionalFields: {} };
    const parameters = toTable({ preventDuplicates: true }, more);
    jsonOf(await run(toTable(), { items: itemsOf(1) }));
    world.keys.latency = 50;
    const tool = new AgentTool({ parameters, credential: world.credential() });
    const [one, two] = [tool.prepare(), tool.prepare()];
    const answers = await Promise.all([one({}), two({})]);
    const output = answers.map((answer) => (JSON.parse(answer) as IDataObject[])[0]);
    expect(output.map((item) => item?.status)).toEqual(['scheduled', 'scheduled']);
    expect(new Set(output.map((item) => item?.callId)).size).toBe(1);
    expect(new Set(statuses())).toEqual(new Set(['scheduled']));
  });

  it('say that calls may be scheduled when n8n fails just after the list became due', async () => {
    world.tables.refuse = isRelease();
    const failed = await run(toTable());
    world.tables.refuse = () => false;
    const release = isRelease();
    let isDue = false;
    world.tables.faultOf = (request) => {
      if (isDue) return { kind: 'status', when: 'before' };
      isDue = release(request);
      return undefined;
    };
    const again = await run(toTable(), { retryOf: failed });
    expect(statuses()).toEqual(['scheduled', 'scheduled', 'scheduled']);
    expect(again.error?.message).toContain('The calls may have been scheduled all the same');
  });

  it('keep a key that an earlier try has claimed for a call that may be scheduled', async () => {
    jsonOf(await run(toTable(), { items: another }));
    world.tables.faultOf = awayWithRelease();
    const failed = await run(toTable({ preventDuplicates: true }));
    expect(failed.error).toBeDefined();
    expect(world.keys.size).toBe(3);
    world.tables.faultOf = () => undefined;
    world.tables.refuse = isRelease();
    const changed = toTable({ preventDuplicates: true }, { scriptId: 8 });
    const second = await run(changed, { retryOf: failed });
    expect(second.error).toBeDefined();
    // It has withdrawn the calls.
    expect(world.keys.size).toBe(0);
    world.tables.refuse = () => false;
    const third = await run(changed, { retryOf: second });
    expect(jsonOf(third).map(({ status }) => status)).toEqual(Array(3).fill('scheduled'));
    expect(world.keys.size).toBe(3);
  });

  it('keep the key of a call whose row may be written, whoever has answered for n8n', async () => {
    jsonOf(await run(toTable(), { items: another }));
    world.tables.faultOf = awayWithRelease();
    const { error } = await run(toTable({ preventDuplicates: true }));
    expect(error).toBeDefined();
    expect(statuses().filter((status) => status === 'scheduled').length).toBeGreaterThan(1);
    expect(world.keys.size).toBe(3);
  });

  it('leave nothing behind when they are cancelled before the rows are written', async () => {
    await run(toTable({ preventDuplicates: true }), { items: itemsOf(1) });
    world.keys.clear();
    await run(toTable({ preventDuplicates: true }), {
      items: itemsOf(2_000),
      cancelWhen: () => rows().length > 100,
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const left = rows().filter(({ status }) => status === 'scheduled').length;
    // All or nothing: whichever the cancellation met.
    expect([1, 2_001]).toContain(left);
    expect(world.keys.size).toBe(left - 1);
  });

  it('schedule no more for an agent than Max Calls allows', async () => {
    const more = { customerPhone: '={{ $fromAI("phone") }}', additionalFields: {} };
    const tool = new AgentTool({
      parameters: toTable({ maxCalls: 1 }, more),
      credential: world.credential(),
    });
    await tool.prepare()({ phone: phoneOf(1) });
    const another = tool.prepare()({ phone: phoneOf(2) });
    await expect(another).rejects.toThrow('more than "Max Calls" allows (1)');
    await tool.prepare()({ phone: phoneOf(1) });
    expect(statuses()).toEqual(['scheduled']);
  });

  describe('of an agent', () => {
    const ask = async (tool: AgentTool, at: string) =>
      await tool.prepare()({ phone: phoneOf(1), at });

    /** @param isUnsure whether n8n has failed before it could say that the call is scheduled */
    async function scheduled(isUnsure = false): Promise<AgentTool> {
      const parameters = toTable(
        {},
        {
          customerPhone: '={{ $fromAI("phone") }}',
          callAt: '={{ $fromAI("at") }}',
          additionalFields: { orderNumber: 'A-1' },
        },
      );
      const tool = new AgentTool({ parameters, credential: world.credential() });
      if (isUnsure) world.tables.faultOf = awayWithRelease();
      const asked = ask(tool, '2027-03-01T09:30:00');
      if (isUnsure) await expect(asked).rejects.toThrow('may have been scheduled');
      else await asked;
      world.tables.faultOf = () => undefined;
      return tool;
    }

    async function cancelled(isUnsure = false): Promise<AgentTool> {
      const tool = await scheduled(isUnsure);
      const { callLogTable } = toTable();
      const cancelling = { resource: 'call', operation: 'cancelScheduled', cancelValue: 'A-1' };
      await run({ ...cancelling, callLogTable: callLogTable as IDataObject });
      return tool;
    }

    it.each([
      ['has scheduled', false],
      ['may have scheduled, as its row says,', true],
    ])('leave standing what it %s when it asks for another time', async (_, isUnsure) => {
      const answer = await ask(await scheduled(isUnsure), '2027-03-01T12:30:00');
      expect(answer).toContain('has scheduled this call for 2027-03-01T09:30:00');
      expect(statuses()).toEqual(['scheduled']);
    });

    it('schedule what was cancelled at another time', async () => {
      const answer = await ask(await cancelled(), '2027-03-01T12:30:00');
      expect(answer).toContain('2027-03-01T12:30:00');
      expect(statuses()).toEqual(['cancelled', 'scheduled']);
    });

    it('schedule it at another time when n8n had failed before it was cancelled', async () => {
      const answer = await ask(await cancelled(true), '2027-03-01T12:30:00');
      expect(answer).toContain('2027-03-01T12:30:00');
      expect(statuses()).toEqual(['cancelled', 'scheduled']);
    });

    it('schedule what was cancelled once when it asks twice at once', async () => {
      const tool = await cancelled();
      const again = { phone: phoneOf(1), at: '2027-03-01T12:30:00' };
      const [one, two] = [tool.prepare(), tool.prepare()];
      const [first, second] = await Promise.all([one(again), two(again)]);
      expect(second).toBe(first);
      expect(statuses()).toEqual(['cancelled', 'scheduled']);
    });

    it('do not schedule what was cancelled again as it was', async () => {
      const answer = await ask(await cancelled(), '2027-03-01T09:30:00');
      expect(answer).toContain('"reason":"cancelled"');
      expect(statuses()).toEqual(['cancelled']);
    });
  });
});

describe('tries with another operation', () => {
  const trigger = {
    resource: 'call',
    operation: 'trigger',
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.number }}' },
    options: { concurrency: 1 },
  };
  const refuseSecond = () =>
    world.service.faults.add({
      kind: 'status',
      status: 401,
      match: ({ body }) => (body as IDataObject).customerPhone === phoneOf(1),
    });
  const isInsert = ({ method, url }: { method: string; url: string }) =>
    method === 'POST' && url.endsWith('/rows');

  it('call whom the earlier one was to schedule, and did not', async () => {
    world.tables.refuse = isInsert;
    const first = await run(toTable(), { items: itemsOf(1) });
    world.tables.refuse = () => false;
    expect(first.error?.message).toMatch(/^Nobody was called\. /);
    jsonOf(await run(trigger, { retryOf: first, items: itemsOf(1) }));
    expect(world.service.seen.calls).toHaveLength(1);
  });

  it('schedule whom the earlier one could not call, and nobody else', async () => {
    refuseSecond();
    const first = await run(trigger, { items: itemsOf(2) });
    const output = jsonOf(await run(toTable(), { retryOf: first, items: itemsOf(2) }));
    expect(output).toEqual([
      {
        skipped: true,
        reason: 'earlierTry',
        customerPhone: phoneOf(0),
        orderNumber: 'A-0',
        orderId: world.service.seen.calls[0]?.orderId,
      },
      expect.objectContaining({ status: 'scheduled', customerPhone: phoneOf(1) }),
    ]);
    expect(rows().map(({ customerPhone }) => customerPhone)).toEqual([phoneOf(1)]);
  });

  it('say whom the earlier one has called', async () => {
    refuseSecond();
    const first = await run(trigger, { items: itemsOf(2) });
    world.tables.refuse = isInsert;
    const { error } = await run(toTable(), { retryOf: first, items: itemsOf(2) });
    world.tables.refuse = () => false;
    expect(error?.message).toMatch(
      /^1 person was called by an earlier try: call IDs at the service /,
    );
  });

  it('do not call whom the earlier one may have scheduled, and neither says more than is known', async () => {
    world.tables.faultOf = awayWithRelease();
    const first = await run(toTable(), { items: itemsOf(1) });
    const again = await run(toTable(), { retryOf: first, items: itemsOf(1) });
    world.tables.faultOf = () => undefined;
    expect(statuses()).toContain('scheduled');
    for (const { error } of [first, again]) {
      expect(error?.message).toMatch(
        /^Nobody was called, but scheduled calls may still be placed\. /,
      );
    }
    expect(first.error?.message).toContain('may have been scheduled all the same');
    expect(first.error?.description).toContain('Retry this execution');
    const called = await run(trigger, { retryOf: again, items: itemsOf(1) });
    expect(jsonOf(called)).toMatchObject([{ skipped: true, reason: 'earlierTry' }]);
    expect(world.service.seen.calls).toEqual([]);
    const create = { resource: 'campaign', operation: 'create', scriptId: 7 };
    const contacts = { contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}' };
    const contactFields = { orderNumber: '={{ $json.number }}' };
    const campaign = { ...create, ...contacts, contactFields };
    const [item] = jsonOf(await run(campaign, { retryOf: again, items: itemsOf(2) }));
    expect(item).toMatchObject({ contactCount: 1, skippedContacts: [{ row: 1 }] });
  });
});

describe('Cancel Scheduled', () => {
  const cancel = (cancelBy: string, cancelValue: string, more: IDataObject = {}) => ({
    resource: 'call',
    operation: 'cancelScheduled',
    callLogTable: { mode: 'name', value: 'Calls' },
    cancelBy,
    cancelValue,
    ...more,
  });
  const cancelled = async (parameters: IDataObject) =>
    jsonOf(await run(parameters, { items: [{ json: {} }] }));

  it('cancels by order number, call and phone, and says how many', async () => {
    const output = jsonOf(await run(toTable()));
    expect(await cancelled(cancel('orderNumber', ' A-0 '))).toMatchObject([{ cancelled: 1 }]);
    expect(await cancelled(cancel('callId', String(output[1]?.callId)))).toMatchObject([
      { cancelled: 1 },
    ]);
    const country = { options: { defaultCountry: 'US' } };
    expect(await cancelled(cancel('phone', '(202) 555-1002', country))).toMatchObject([
      { cancelled: 1 },
    ]);
    expect(await cancelled(cancel('orderNumber', 'A-0'))).toEqual([
      { cancelled: 0, message: '1 call was cancelled before' },
    ]);
    expect(statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('by phone, finds a call whose phone was corrected in its row, and no other call to the new one', async () => {
    await run(toTable());
    Object.assign(rows()[0] ?? {}, { customerPhone: phoneOf(1) });
    expect(await cancelled(cancel('phone', phoneOf(0)))).toMatchObject([{ cancelled: 1 }]);
    const left = rows().filter(({ status }) => status === 'scheduled');
    expect(left.map(({ orderNumber }) => orderNumber)).toEqual(['A-1', 'A-2']);
  });

  it('by phone, asks n8n no more often for each ended call whose row was corrected', async () => {
    await run(toTable());
    const requests = async () => {
      const before = world.tables.requests.length;
      await cancelled(cancel('phone', phoneOf(0)));
      return world.tables.requests.length - before;
    };
    const duplicateKey = rows()[0]?.duplicateKey;
    const ended = { status: 'completed', finishedAt: new Date().toISOString() };
    for (const row of rows()) Object.assign(row, { ...ended, duplicateKey });
    const usual = await requests();
    for (const row of rows()) row.customerPhone = phoneOf(9);
    expect(await requests()).toBeLessThanOrEqual(usual);
  });

  it('by phone, finds the call that rings there after its row was corrected', async () => {
    const retry = { plan: { outcomes: 'no_answer', afterMinutes: '60' } };
    // Its own Duplicate Key does not name the phone.
    const settings = rulesAndOptions({ duplicateKey: '={{ $json.number }}', retry });
    const call = { operation: 'trigger', callLog: 'dataTable', ...settings };
    await run(toTable({}, call), { items: itemsOf(1) });
    Object.assign(rows()[0] ?? {}, { customerPhone: phoneOf(1) });
    const message = '1 call goes on and is not tried again';
    expect(await cancelled(cancel('phone', phoneOf(0)))).toEqual([{ cancelled: 1, message }]);
  });

  it('finds an order number whatever its capitals and the spaces around it, and nothing else', async () => {
    await run(toTable());
    const [first, second] = rows();
    Object.assign(first ?? {}, { orderNumber: ' a-1  ' });
    Object.assign(second ?? {}, { orderNumber: 'A-1' });
    expect(await cancelled(cancel('orderNumber', 'a-1 '))).toMatchObject([{ cancelled: 2 }]);
    expect(await cancelled(cancel('orderNumber', 'A_2'))).toEqual([
      { cancelled: 0, message: 'No such call was found' },
    ]);
    expect(statuses().sort()).toEqual(['cancelled', 'cancelled', 'scheduled']);
  });

  it('says when calls about one order number were to several phones, as of two shops', async () => {
    await run(toTable({}, { additionalFields: { orderNumber: '1001' } }), { items: itemsOf(2) });
    const message = '2 calls are not placed any more. The cancelled calls were to 2 phone numbers';
    expect(await cancelled(cancel('orderNumber', '1001'))).toEqual([{ cancelled: 2, message }]);
  });

  it('takes a phone in two spellings for one', async () => {
    await run(toTable({}, { additionalFields: { orderNumber: '1001' } }), { items: itemsOf(3) });
    const [first, second, third] = rows();
    Object.assign(first ?? {}, { customerPhone: '+12025551000' });
    Object.assign(second ?? {}, { customerPhone: '(202) 555-1000' });
    Object.assign(third ?? {}, { customerPhone: '' });
    const message = '3 calls are not placed any more';
    expect(await cancelled(cancel('orderNumber', '1001'))).toEqual([{ cancelled: 3, message }]);
  });

  it('finds an order number whose letters are in no English alphabet', async () => {
    await run(toTable());
    const [first, second] = rows();
    Object.assign(first ?? {}, { orderNumber: 'ЗАКАЗ-1' });
    Object.assign(second ?? {}, { orderNumber: 'БАКАЗ-1' });
    expect(await cancelled(cancel('orderNumber', 'заказ-1'))).toMatchObject([{ cancelled: 1 }]);
    expect(statuses().sort()).toEqual(['cancelled', 'scheduled', 'scheduled']);
  });

  it.each([
    ['\u00dcnal-1', 'U\u0308nal-1'],
    ['U\u0308nal-1', '\u00dcnal-1'],
    ['1042', '#1042'],
    ['#1042', '1042'],
    ['A-1042', 'a\u20111042'],
    ['A\u20121042\u200b', 'A-1042'],
    ['\uff21\uff0d\uff11\uff10\uff14\uff12', 'A-1042'],
    ['A 1042', '\ufeffA\u00a01042'],
  ])('finds %j, however an accent, a #, a dash or a space is written', async (given, written) => {
    await run(toTable());
    Object.assign(rows()[0] ?? {}, { orderNumber: written });
    expect(await cancelled(cancel('orderNumber', given))).toMatchObject([{ cancelled: 1 }]);
  });

  it.each(['\uff21\uff0d\uff11\uff10\uff14\uff12', 'A-10\u206042'])(
    'finds %j, as which the order was scheduled, by A-1042',
    async (orderNumber) => {
      await run(toTable({}, { additionalFields: { orderNumber } }), { items: itemsOf(1) });
      expect(await cancelled(cancel('orderNumber', 'A-1042'))).toMatchObject([{ cancelled: 1 }]);
      expect(statuses()).toEqual(['cancelled']);
    },
  );

  it.each(['={{ $json.numbr }}', '=ORD-{{ $json.numbr }}', '=ORD-{{ $json.numbr'])(
    'fails when %s gives nothing: it would find no call, and the customer would be called',
    async (value) => {
      const { error } = await run(cancel('orderNumber', value));
      expect(error?.message).toMatch(/^Nobody was called, but .* Order Number is missing$/);
    },
  );

  it('says that a call may have been placed', async () => {
    await run(toTable());
    Object.assign(rows()[0] ?? {}, { status: 'maybe_placed', batch: '' });
    expect(await cancelled(cancel('orderNumber', 'A-0'))).toEqual([
      { cancelled: 0, message: '1 call may have been placed' },
    ]);
  });

  it('says that an order rings whose call another API key has placed', async () => {
    await run(toTable());
    const [row] = rows();
    Object.assign(row ?? {}, { account: 'other', status: 'in_progress', batch: '' });
    expect(await cancelled(cancel('orderNumber', 'A-0'))).toMatchObject([
      { message: expect.stringContaining('1 row written with another API key') as string },
    ]);
  });

  it('leaves the outcome of a call whose row somebody is about to schedule again', async () => {
    await run(toTable());
    const [row] = rows();
    const end = { finishedAt: new Date().toISOString(), outcome: 'Confirmed', orderId: '7' };
    Object.assign(row ?? {}, { ...end, batch: '' });
    const [answer] = await cancelled(cancel('orderNumber', 'A-0'));
    expect(answer).toMatchObject({
      cancelled: 0,
      message: expect.stringContaining('Write back how the call ended') as string,
    });
    expect(rows()[0]).toMatchObject({ ...end, status: 'scheduled' });
  });

  it('says which rows it does not reach, by order number, call and phone', async () => {
    const [first] = jsonOf(await run(toTable()));
    for (const row of rows()) row.account = 'other';
    for (const by of [
      cancel('orderNumber', 'a-0'),
      cancel('callId', String(first?.callId)),
      cancel('phone', String(rows()[0]?.customerPhone)),
    ]) {
      const message = expect.stringMatching(
        /^No such call was found\. 1 row written with another API key or base URL is out of reach: cancel them with that credential, or delete the rows\.$/,
      ) as string;
      expect(await cancelled(by)).toEqual([{ cancelled: 0, message }]);
    }
  });

  it.each(['+1 202-555-1001', '1 (202) 555 1001', '202.555.1001'])(
    'cancels by phone what somebody has written as %p',
    async (written) => {
      await run(toTable());
      for (const row of rows()) if (row.orderNumber === 'A-1') row.customerPhone = written;
      expect(await cancelled(cancel('phone', phoneOf(1)))).toMatchObject([{ cancelled: 1 }]);
      expect(rows().find(({ status }) => status === 'cancelled')?.orderNumber).toBe('A-1');
    },
  );

  it('leaves an order of which nobody then says that it was called before', async () => {
    const scheduling = toTable({ preventDuplicates: true });
    await run(scheduling, { items: itemsOf(1) });
    const cancel = { operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue: 'A-0' };
    jsonOf(await run({ ...toTable(), ...cancel }, { items: itemsOf(1) }));
    const again = await run(scheduling, { items: itemsOf(1) });
    const told = JSON.stringify([again.run.data, rows()]);
    expect(told).toContain('called or scheduled before');
    expect(told).not.toMatch(/called before|placed before/);
  });

  it('refuses an empty value, which would mean all calls without one', async () => {
    jsonOf(await run(toTable({}, { additionalFields: {} })));
    for (const by of ['orderNumber', 'callId', 'phone']) {
      const items = itemsOf(1);
      expect((await run(cancel(by, ' '), { items })).error?.message).toMatch(
        /is missing|is empty|Customer Phone/,
      );
    }
    expect(statuses()).toEqual(['scheduled', 'scheduled', 'scheduled']);
  });

  it.each(["={{ ['A-0', 'A-1'] }}", "={{ ({ number: 'A-0' }) }}", '#REF!', '={{ NaN }}'])(
    'refuses %s, which is no order number: its order may still be called',
    async (value) => {
      const { error } = await run(cancel('orderNumber', value), { items: itemsOf(1) });
      expect(error?.message).toMatch(/Order Number is (?:an object or a list|"(?:#REF!|NaN)")/);
    },
  );

  it('says so when the table is no call log', async () => {
    expect((await run(cancel('orderNumber', 'A-1'))).error?.message).toContain('no data table');
  });
});
