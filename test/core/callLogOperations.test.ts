import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject, INode, IWorkflowSettings } from 'n8n-workflow';
import { prune } from '../../nodes/OutboundAiCalling/actions/callLog/prune.operation';
import { report as reportOperation } from '../../nodes/OutboundAiCalling/actions/callLog/report.operation';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { itemsOf, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import { publishWatch } from './watchedLog';

const TEST_PHONE = '+12025550199';
const DAY_MS = 24 * 3_600_000;

const world = useServiceAndTables();

const callLogTable = { mode: 'name', value: 'Calls' };
const rows = () => world.tables.rowsOf('Calls');
const run = async (parameters: IDataObject, more: Partial<ExecutionRequest> = {}) =>
  jsonOf(
    await execute({
      parameters: { callLogTable, ...parameters },
      items: itemsOf(1),
      credential: world.credential(),
      ...more,
    }),
  );
const call = async (rules: IDataObject, count: number) =>
  await run(
    {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      callLog: 'dataTable',
      rules,
    },
    { items: itemsOf(count), mode: 'manual' },
  );
const pruneByPhone = async (customerPhone: string) =>
  await run({ resource: 'callLog', operation: 'prune', pruneBy: 'phone', customerPhone });
const placedBefore = (ms: number) => {
  for (const row of rows()) row.triggeredAt = new Date(Date.now() - ms).toISOString();
};

it('names no item as failed for which nothing was done', async () => {
  await call({}, 1);
  world.tables.refuse = ({ url }) => url.includes('/rows');
  const { error } = await execute({
    parameters: {
      ...{ resource: 'call', operation: 'cancelScheduled', callLogTable, cancelBy: 'orderNumber' },
      cancelValue: '={{ $json.number }}',
    },
    items: itemsOf(3),
    credential: world.credential(),
  });
  expect(error?.message).toContain('In item 0');
  expect(error?.description).not.toContain('Items that failed too');
});

describe('Prune by age', () => {
  it.each([
    ['all alike', 11_000, 'x', 0],
    ['since a person has added a column', 12_000, 'x', 1],
    ['in letters of three bytes', 15_000, 'न', 1],
  ])('counts the rows that it deletes, however long: %s', async (_, length, letter, short) => {
    await call({}, 1);
    const [row] = rows();
    const at = new Date(Date.now() - 200 * DAY_MS).toISOString();
    const ended = { ...row, status: 'completed', triggeredAt: at, finishedAt: at };
    const copies = Array.from({ length: 1_000 }, (_copy, id) => ({
      ...ended,
      id,
      callId: `call${id}`,
      transcript: id < short ? null : letter.repeat(length),
    }));
    rows().splice(0, 1, ...(copies as never[]));
    const age = { resource: 'callLog', operation: 'prune', pruneBy: 'age', olderThanDays: 90 };
    expect(await run(age)).toEqual([{ deleted: 1_000, kept: 0 }]);
  });

  it('deletes long rows one by one where it has to look at each', async () => {
    await call({}, 1);
    const [row] = rows();
    const at = new Date(Date.now() - 200 * DAY_MS).toISOString();
    const ended = { ...row, status: 'completed', triggeredAt: at, finishedAt: at };
    const copies = Array.from({ length: 300 }, (_, id) => ({
      ...ended,
      id: id + 1,
      callId: `call${id}`,
      transcript: 'न'.repeat(15_000),
    }));
    const next = { id: 301, callId: 'call3', attempt: 2, status: 'scheduled', triggeredAt: null };
    const waiting = { ...ended, ...next, runAt: Date.now() + DAY_MS };
    rows().splice(0, 1, ...([...copies, { ...waiting, finishedAt: null }] as never[]));
    const age = { resource: 'callLog', operation: 'prune', pruneBy: 'age', olderThanDays: 90 };
    expect(await run(age)).toMatchObject([{ deleted: 299, kept: 1 }]);
  });
});

describe('Prune by phone', () => {
  it('deletes test calls that were made in place of calls to the person, and no others', async () => {
    await call({ manualExecutions: 'testPhone', testPhone: TEST_PHONE }, 3);
    expect(rows().map(({ customerPhone }) => customerPhone)).toEqual(Array(3).fill(TEST_PHONE));
    for (const row of rows()) Object.assign(row, { status: 'completed', finishedAt: row.dueAt });
    expect(await pruneByPhone(phoneOf(1))).toEqual([{ deleted: 1, kept: 0 }]);
    const about = rows().map(
      ({ request }) => (JSON.parse(String(request)) as IDataObject).inPlaceOf,
    );
    expect(about.sort()).toEqual([phoneOf(0), phoneOf(2)]);
    expect(await pruneByPhone(TEST_PHONE)).toEqual([{ deleted: 2, kept: 0 }]);
  });

  it.each(['+1 202-555-1001', '1 (202) 555 1001', '202.555.1001'])(
    'deletes what somebody has written as %p',
    async (written) => {
      await call({}, 3);
      for (const row of rows()) Object.assign(row, { status: 'completed', finishedAt: row.dueAt });
      for (const row of rows()) if (row.customerPhone === phoneOf(1)) row.customerPhone = written;
      expect(await pruneByPhone(phoneOf(1))).toEqual([{ deleted: 1, kept: 0 }]);
      expect(rows().map(({ customerPhone }) => customerPhone)).toEqual([phoneOf(0), phoneOf(2)]);
    },
  );

  it('deletes a row whose phone somebody has corrected since, and which still names the person', async () => {
    await call({}, 2);
    for (const row of rows()) Object.assign(row, { status: 'completed', finishedAt: row.dueAt });
    Object.assign(rows()[0] ?? {}, { customerPhone: '+12025558888' });
    expect(await pruneByPhone(phoneOf(0))).toEqual([{ deleted: 1, kept: 0 }]);
    expect(rows().map(({ customerPhone }) => customerPhone)).toEqual([phoneOf(1)]);
  });

  it('deletes nobody for a number in a Duplicate Key of their own', async () => {
    await call({}, 2);
    for (const row of rows()) {
      const duplicateKey = `A-1 for ${phoneOf(9)}`;
      Object.assign(row, { status: 'completed', finishedAt: row.dueAt, duplicateKey });
    }
    expect(await pruneByPhone(phoneOf(9))).toEqual([{ deleted: 0, kept: 0 }]);
  });

  it('deletes nobody whose number begins with that number', async () => {
    await call({}, 3);
    const longer = `${phoneOf(0)}9`;
    const key = JSON.stringify(['', longer]);
    for (const row of rows()) Object.assign(row, { status: 'completed', finishedAt: row.dueAt });
    Object.assign(rows()[1] ?? {}, { customerPhone: longer, duplicateKey: key });
    expect(await pruneByPhone(phoneOf(0))).toEqual([{ deleted: 1, kept: 0 }]);
    expect(rows().map(({ customerPhone }) => customerPhone)).toEqual([longer, phoneOf(2)]);
  });

  it('keeps an open call for 40 days', async () => {
    await call({}, 1);
    placedBefore(39.9 * DAY_MS);
    expect(await pruneByPhone(phoneOf(0))).toMatchObject([{ deleted: 0, kept: 1 }]);
    placedBefore(40.1 * DAY_MS);
    expect(await pruneByPhone(phoneOf(0))).toEqual([{ deleted: 1, kept: 0 }]);
  });
});

describe('Prune by age', () => {
  it('deletes what is old and has ended, and says which rows it does not reach', async () => {
    await call({}, 6);
    placedBefore(10 * DAY_MS);
    const [ended, emptied, other, open, young, ringing] = rows();
    const finishedAt = new Date(Date.now() - 10 * DAY_MS).toISOString();
    Object.assign(ended ?? {}, { status: 'completed', finishedAt });
    Object.assign(emptied ?? {}, { status: '', finishedAt });
    Object.assign(other ?? {}, { account: 'other', createdAt: finishedAt });
    Object.assign(open ?? {}, { status: 'scheduled' });
    Object.assign(young ?? {}, { triggeredAt: new Date().toISOString() });
    const pruning = { resource: 'callLog', operation: 'prune', pruneBy: 'age', olderThanDays: 5 };
    const execution = await execute({
      parameters: { callLogTable, ...pruning },
      credential: world.credential(),
    });
    expect(jsonOf(execution)).toMatchObject([{ deleted: 2, kept: 2 }]);
    expect(rows()).toEqual([other, open, young, ringing]);
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(/^1 row written with another API key or base URL is out of reach: /),
    ]);
  });
});

it('Prune keeps the attempt before a cancelled one of which a trigger has not been told', async () => {
  const retry = { plan: { outcomes: 'no_answer', afterMinutes: 2 * DAY_MS } };
  const { service, tables } = world;
  const finalOnly = publishWatch(
    { service, tables, table: 'Calls' },
    { options: { finalOnly: true } },
  );
  await call({}, 1);
  await finalOnly.poll();
  const [row] = rows();
  const at = new Date(Date.now() - 2 * DAY_MS).toISOString();
  const ofFirst = {
    status: 'completed',
    outcome: 'no_answer',
    outcomeKey: 'no_answer',
    orderId: '4001',
  };
  const times = { triggeredAt: at, finishedAt: at, nextAttemptAt: at, runAt: null, lockedUntil: 0 };
  Object.assign(row ?? {}, { ...ofFirst, ...times, request: JSON.stringify({ retry }) });
  await finalOnly.poll();
  expect(finalOnly.fired).toEqual([]);
  const nothing = { orderId: null, outcome: null, outcomeKey: null, triggeredAt: null };
  const second = { ...nothing, attempt: 2, status: 'cancelled', nextAttemptAt: null };
  tables
    .rowsOf('Calls')
    .push({ ...row, ...second, id: 9, finishedAt: new Date().toISOString() } as never);
  const age = { resource: 'callLog', operation: 'prune', pruneBy: 'age', olderThanDays: 1 };
  expect(await run(age)).toMatchObject([{ deleted: 0, kept: 1 }]);
  await finalOnly.poll();
  expect(finalOnly.fired).toMatchObject([{ attempt: 1, outcomeKey: 'no_answer' }]);
});

describe('a call log from which a person has deleted columns', () => {
  const adviceWithout = async (...names: string[]) => {
    await call({}, 1);
    for (const table of world.tables.tables.filter(({ name }) => name === 'Calls')) {
      table.columns = table.columns.filter(({ name }) => !names.includes(name));
    }
    const { error } = await execute({
      parameters: { resource: 'callLog', operation: 'report', callLogTable },
      credential: world.credential(),
    });
    const lacks = `it lacks the columns ${names.join(', ')}`;
    expect(error?.message).toContain(`The data table "Calls" is no call log: ${lacks}`);
    return error?.description;
  };

  it('is mended by adding them again: the error names their types', async () => {
    expect(await adviceWithout('summary', 'finishedAt', 'runAt')).toMatch(
      /^If somebody has deleted columns of your call log, add them again: summary \(string\), finishedAt \(date\), runAt \(number\)\. It was left as it is\. Choose the table/,
    );
  });

  it('is another table where it lacks most of them', async () => {
    const most = LOG_COLUMNS.map(({ name }) => name).slice(0, LOG_COLUMNS.length / 2 + 1);
    expect(await adviceWithout(...most)).toMatch(/^It was left as it is\. Choose the table/);
  });
});

describe('Report', () => {
  const report = async (more: IDataObject = {}, workflowSettings: IWorkflowSettings = {}) =>
    await execute({
      parameters: { resource: 'callLog', operation: 'report', callLogTable, ...more },
      credential: world.credential(),
      workflowSettings,
    });
  const totalsOf = (execution: Execution) => jsonOf(execution)[0]?.totals;

  it('counts nothing in a log without calls', async () => {
    await call({}, 1);
    rows().splice(0);
    const nothing = { calls: 0, reached: 0, minutes: 0, cost: 0, costPerReached: null };
    expect(totalsOf(await report())).toMatchObject(nothing);
  });

  it('says on its page and in its totals how many calls of the period were not placed', async () => {
    await call({}, 4);
    const [first, second, third] = rows();
    const refused = { status: 'not_placed', triggeredAt: null, orderId: null };
    const ended = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    Object.assign(first ?? {}, { ...refused, finishedAt: ended(1) });
    Object.assign(second ?? {}, { ...refused, finishedAt: ended(2) });
    Object.assign(third ?? {}, { ...refused, finishedAt: ended(300) });
    const [{ html, totals } = {}] = jsonOf(await report());
    expect(html).toContain(
      '2 calls were not placed: the column lastError of the call log says why',
    );
    expect(totals).toMatchObject({ calls: 1, notPlaced: 2 });
    const many = Array.from({ length: 300 }, (_, index) => ({ ...first, id: 1_000 + index }));
    rows().push(...(many.map((row) => ({ ...row, callId: `n${row.id}` })) as never[]));
    expect(jsonOf(await report())[0]?.html).toContain('302 calls were not placed');
  });

  it('counts cancelled calls among those that were not placed, and no call twice', async () => {
    const scheduling = { resource: 'call', operation: 'schedule', scriptId: 7, callAt: '' };
    await run({ ...scheduling, customerPhone: '={{ $json.phone }}' }, { items: itemsOf(3) });
    const phone = { cancelBy: 'phone', cancelValue: '={{ $json.phone }}' };
    const cancelling = { resource: 'call', operation: 'cancelScheduled', ...phone };
    await run(cancelling, { items: itemsOf(3) });
    const placing = { resource: 'call', operation: 'placeScheduled' };
    await run({ ...placing, options: { keepOnSeconds: 0 } });
    expect(totalsOf(await report())).toMatchObject({ calls: 0, notPlaced: 3 });
    // A process that stood still has written that nobody was called. The call was placed long ago.
    const [first] = rows();
    const placed = { status: 'completed', orderId: '7', outcome: 'Confirmed' };
    const triggeredAt = new Date(Date.now() - 90 * DAY_MS).toISOString();
    rows().push({ ...first, ...placed, id: 1_000, triggeredAt } as never);
    expect(totalsOf(await report())).toMatchObject({ calls: 0, notPlaced: 2 });
  });

  it('does not count a test call among the calls that were not placed', async () => {
    const body = { success: false, message: 'customerPhone is invalid' };
    world.service.faults.add({ kind: 'status', status: 400, route: 'trigger', body });
    const tested = { manualExecutions: 'testPhone', testPhone: TEST_PHONE };
    await expect(call(tested, 1)).rejects.toBeDefined();
    expect(rows()).toMatchObject([{ status: 'not_placed', customerPhone: TEST_PHONE }]);
    expect(jsonOf(await report())[0]?.html).not.toContain('not placed');
  });

  it('has the daily mail say that no call could be placed', async () => {
    await call({}, 2);
    const finishedAt = new Date().toISOString();
    const refused = { status: 'not_placed', triggeredAt: null, orderId: null, finishedAt };
    for (const row of rows()) Object.assign(row, refused);
    const [reported] = jsonOf(await report());
    const path = join(__dirname, '../../examples/daily-report-by-mail.json');
    const example = JSON.parse(await readFile(path, 'utf8')) as { nodes: INode[] };
    const mail = example.nodes.find(({ name }) => name === 'Send the report')?.parameters;
    const expression = String(mail?.subject).slice('={{'.length, -'}}'.length);
    const subject: unknown = new Function('$json', `return ${expression}`)(reported);
    expect(subject).toBe('No calls yesterday, 0 reached, 0 failed, 2 not placed');
  });

  it('says that nothing places scheduled calls that are overdue', async () => {
    const scheduling = { resource: 'call', operation: 'schedule', scriptId: 7, callAt: '' };
    await run({ ...scheduling, customerPhone: '={{ $json.phone }}' }, { items: itemsOf(2) });
    const told = async () => {
      const execution = await report();
      return [...hintsOf(execution), String(jsonOf(execution)[0]?.html)];
    };
    const overdue = '2 scheduled calls have been due for an hour, and nothing places them';
    expect(await told()).toEqual([expect.not.stringContaining(overdue)]);
    for (const row of rows()) row.runAt = Date.now() - 61 * 60_000;
    expect(await told()).toEqual([
      expect.stringContaining(overdue),
      expect.stringContaining(overdue),
    ]);
    const placing = { resource: 'call', operation: 'placeScheduled', callLogTable };
    // Its one channel is taken by the first of them.
    await run({ ...placing, options: { maxInProgress: 1, keepOnSeconds: 0 } });
    expect(
      rows()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['in_progress', 'scheduled']);
    expect(await told()).toEqual([expect.not.stringContaining(overdue)]);
    const locks = world.tables.tables
      .flatMap((table) => table.rows)
      .filter((row) => row.kind === 'lock');
    for (const lock of locks) lock.updatedAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
    expect((await told())[0]).toMatch(
      /^1 scheduled call has been due for an hour, and nothing has placed calls since 20\d\d-/,
    );
    // A running execution places it when its turn comes.
    for (const row of rows()) row.batch = 'list';
    expect(await told()).toEqual([expect.not.stringContaining('due for an hour')]);
  });

  it('counts each attempt once, by the row that counts, also when a person has emptied its time', async () => {
    await call({}, 4);
    const [first, second, third, fourth] = rows();
    const at = new Date().toISOString();
    const end = { finishedAt: at, status: 'completed', outcome: 'Confirmed', cost: 1 };
    rows().push(
      // What a process wrote that came too late.
      { ...first, ...end, id: 100 } as never,
      { ...first, ...end, id: 101, cost: 5 } as never,
      { ...second, ...end, id: 102, status: 'maybe_placed', cost: null } as never,
    );
    Object.assign(fourth ?? {}, { ...end, status: 'maybe_placed', orderId: null, cost: null });
    Object.assign(third ?? {}, { ...end, triggeredAt: null });
    expect(totalsOf(await report())).toMatchObject({ calls: 3, maybePlaced: 1, cost: 2 });
  });

  it('counts no call of another period, and says what it does not reach', async () => {
    await call({}, 4);
    placedBefore(40 * DAY_MS);
    Object.assign(rows()[0] ?? {}, { triggeredAt: new Date().toISOString() });
    Object.assign(rows()[1] ?? {}, { account: 'other' });
    Object.assign(rows()[2] ?? {}, { account: 'other', triggeredAt: new Date().toISOString() });
    const recent = await report();
    expect(totalsOf(recent)).toMatchObject({ calls: 1 });
    expect(hintsOf(recent)).toEqual([
      expect.stringMatching(/^1 row written with another API key or base URL is out of reach: /),
    ]);
    const waits = { status: 'scheduled', account: 'other', triggeredAt: null, orderId: null };
    const [, , , fourth] = rows();
    rows().push({ ...fourth, ...waits, finishedAt: null, id: 100 } as never);
    const told = await report();
    expect(hintsOf(told)).toEqual([
      expect.stringMatching(
        /^1 row written with another API key .* schedule these calls alone again/,
      ),
      expect.stringMatching(/^1 row written with another API key .* Do not schedule/),
    ]);
    // Who reads the page in a mail sees no hint.
    for (const hint of hintsOf(told)) expect(jsonOf(told)[0]?.html).toContain(hint);
    rows().pop();
    const days = new Date(Date.now() - 50 * DAY_MS).toISOString();
    const old = await report({ from: days });
    expect(totalsOf(old)).toMatchObject({ calls: 2 });
    expect(hintsOf(old)[0]).toMatch(/^2 rows /);
  });

  it.each(['={{ $json.noSuchColumn }}', '={{ [] }}', ' , '])(
    'refuses Not Reached Outcomes that name nothing: %p would count voicemail as reached',
    async (notReachedOutcomes) => {
      await call({}, 1);
      const { error } = await report({ options: { notReachedOutcomes } });
      expect(error?.message).toBe('Nobody was called. Not Reached Outcomes names no outcome');
    },
  );

  it('refuses a word for all among Not Reached Outcomes, which would count everybody as reached', async () => {
    const { error } = await report({ options: { notReachedOutcomes: 'any' } });
    expect(error?.message).toContain('Not Reached Outcomes name "any", which is no outcome');
  });

  it('counts every completed call as reached when Not Reached Outcomes is left empty', async () => {
    await call({}, 1);
    const end = { status: 'completed', outcome: 'voicemail', finishedAt: rows()[0]?.dueAt };
    Object.assign(rows()[0] ?? {}, end);
    expect(totalsOf(await report())).toMatchObject({ calls: 1, reached: 0 });
    const empty = await report({ options: { notReachedOutcomes: '' } });
    expect(totalsOf(empty)).toMatchObject({ calls: 1, reached: 1 });
  });

  it('does not count a completed call without an outcome as reached, as the panel says', async () => {
    await call({}, 1);
    const end = { status: 'completed', durationSec: 60, finishedAt: rows()[0]?.dueAt };
    Object.assign(rows()[0] ?? {}, end);
    expect(totalsOf(await report())).toMatchObject({ calls: 1, reached: 0, open: 0 });
    expect(JSON.stringify(reportOperation.fields)).toContain(
      'counts as reached when its status is completed and it has an outcome that is none of these.',
    );
  });

  it('counts the ended calls whose cost is not known, which the cost per reached lacks', async () => {
    await call({}, 5);
    const end = { status: 'completed', outcome: 'Confirmed', finishedAt: rows()[0]?.dueAt };
    for (const row of rows().slice(0, 4)) Object.assign(row, end);
    Object.assign(rows()[0] ?? {}, { cost: 1 });
    const [json] = jsonOf(await report());
    const counts = { calls: 5, reached: 4, open: 1, cost: 1, unpriced: 3, costPerReached: 0.25 };
    expect(json).toMatchObject({ totals: counts, groups: [counts] });
  });

  it('says that From or To gives nothing, where it does not begin or end as somebody meant', async () => {
    await call({}, 1);
    const mistyped = await report({ from: '={{ $json.noSuchColumn }}', to: '={{ $now }}' });
    expect(totalsOf(mistyped)).toMatchObject({ calls: 1 });
    expect(hintsOf(mistyped)).toEqual([
      expect.stringMatching(
        /^"From" has an expression that gives nothing, and counts as left empty/,
      ),
    ]);
    expect(hintsOf(await report({ from: '', to: '' }))).toEqual([]);
  });

  it('counts no row whose status means nothing, as the hint says, and no open call as ended', async () => {
    await call({}, 2);
    const [mistyped, open] = rows();
    Object.assign(mistyped ?? {}, { status: 'complted', triggeredAt: null });
    Object.assign(open ?? {}, { cost: 1.5 });
    const reported = await report();
    expect(totalsOf(reported)).toMatchObject({ calls: 1, open: 1, unpriced: 0 });
    expect(hintsOf(reported)).toEqual([
      expect.stringMatching(/^1 row with an unknown status is out of reach: /),
    ]);
  });

  it.each([
    // The workflow's time zone is Asia/Kolkata.
    ['2026-11-21', '2026-11-21T00:00:00+05:30', '2026-11-21T23:59:59+05:30'],
    ['2026-11-21T00:00:00.000+05:30', '2026-11-21T00:00:00+05:30', '2026-11-21T23:59:59+05:30'],
    ['2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00+05:30', '2026-11-21T23:59:59+05:30'],
    ['2026-11-21 00:00:00+00', '2026-11-21T00:00:00+05:30', '2026-11-21T23:59:59+05:30'],
    ['2026-11-21T00:00:00-05:00', '2026-11-21T10:30:00+05:30', '2026-11-22T10:29:59+05:30'],
    ['2026-11-21 00:00 -05', '2026-11-21T10:30:00+05:30', '2026-11-22T10:29:59+05:30'],
    ['2026-11-21 00:00:00+0900', '2026-11-20T20:30:00+05:30', '2026-11-21T20:29:59+05:30'],
    [
      '={{ DateTime.fromISO("2026-11-21", { zone: "America/New_York" }) }}',
      '2026-11-21T10:30:00+05:30',
      '2026-11-22T10:29:59+05:30',
    ],
    ['2026-11-20T24:00', '2026-11-21T00:00:00+05:30', '2026-11-21T00:00:00+05:30'],
    ['2026-11-21T09:15:00-05:00', '2026-11-21T19:45:00+05:30', '2026-11-21T19:45:00+05:30'],
  ])('takes %p for a day on the clock that it names, or for an instant', async (day, from, to) => {
    await call({}, 1);
    expect(jsonOf(await report({ from: day, to: day }))).toMatchObject([{ from, to }]);
  });

  it('takes {{ $today }} for a day also where clocks skip midnight', async () => {
    await call({}, 1);
    const today =
      '={{ DateTime.fromISO("2027-04-30T12:00", { zone: "Africa/Cairo" }).startOf("day") }}';
    const reported = await report({ from: today, to: today }, { timezone: 'Africa/Cairo' });
    expect(jsonOf(reported)).toMatchObject([
      { from: '2027-04-30T01:00:00+03:00', to: '2027-04-30T23:59:59+03:00' },
    ]);
  });
});

describe('Prevent Duplicates after Prune', () => {
  const pruneBy = prune.fields.find(({ name }) => name === 'pruneBy');

  it.each<[string, IDataObject]>([
    ['age', { olderThanDays: 1 }],
    ['phone', { customerPhone: phoneOf(0) }],
  ])(
    'by %s finds the call in the node that placed it, and in no other, as the panel says',
    async (by, more) => {
      const callOnce = async (id: string) =>
        await run(
          {
            ...{ resource: 'call', operation: 'trigger', scriptId: 7, callLog: 'dataTable' },
            ...{ customerPhone: phoneOf(0), rules: { preventDuplicates: true } },
          },
          { settings: { id } },
        );
      const duplicate = [expect.objectContaining({ reason: 'duplicate' })];
      await callOnce('first');
      expect(await callOnce('second')).toEqual(duplicate);
      placedBefore(2 * DAY_MS);
      for (const row of rows()) Object.assign(row, { status: 'completed', finishedAt: row.dueAt });
      const pruned = await run({ resource: 'callLog', operation: 'prune', pruneBy: by, ...more });
      expect(pruned).toEqual([{ deleted: 1, kept: 0 }]);
      expect(await callOnce('first')).toEqual(duplicate);
      expect(await callOnce('second')).toEqual([expect.objectContaining({ orderId: 4002 })]);
      expect(pruneBy?.options).toContainEqual(
        expect.objectContaining({
          value: by,
          description: expect.stringContaining('Prevent Duplicates of other nodes'),
        }),
      );
    },
  );
});
