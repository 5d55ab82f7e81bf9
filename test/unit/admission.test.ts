import type { IDataObject } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { Lock } from '../../nodes/OutboundAiCalling/callLog/lock';
import type { PlacingRows } from '../../nodes/OutboundAiCalling/callLog/placing/placingRows';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { callKey } from '../../nodes/OutboundAiCalling/callLog/states';
import { outcomeColumns } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import {
  Admission,
  DryCount,
  type Applicant,
  type Tally,
} from '../../nodes/OutboundAiCalling/rules/admission';
import type { Objection } from '../../nodes/OutboundAiCalling/rules/rule';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { placedRow } from '../newCalls';
import { MemoryTables } from './memoryTables';
import { inTime } from './inTime';

const ACCOUNT = 'one';
const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');
const PHONE = '+12025550100';
const CAP: Objection = { reason: 'dailyCap' };

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

let made = 0;
async function emptyLog(rows: IDataObject[] = []) {
  const tables = new MemoryTables(`admitted${++made}x`);
  tables.insert(rows);
  const locator = { mode: 'id', value: tables.tableId };
  const opening = CallLog.openExisting(tables.context, locator, ACCOUNT);
  const log = await inTime(opening);
  return { log, tables, admission: Admission.of(log) };
}

const daysSince = (start: number) => ({ own: start, ofPerson: start });

/** An applicant of today who keeps the tallies that it was asked about. */
const applicantFor = (most: number, more: Partial<Applicant> = {}) => {
  const tallies: Tally[] = [];
  const applicant: Applicant = {
    ...{ phone: PHONE, isCostAsked: false, dayStarts: () => daysSince(NOON - 12 * HOUR_MS) },
    objectionTo: (tally) => {
      tallies.push(tally);
      return tally.calls < most ? undefined : CAP;
    },
    ...more,
  };
  return { applicant, tallies };
};

/** What becomes of a row when it is marked. */
type Mutable = { key: string; isMarked: boolean; state: string };

/** The rows of an execution, which are marked as a test says. */
function executionThat(mark: (row: Mutable) => void = (row) => void (row.isMarked = true)) {
  const unmarked: unknown[] = [];
  const rows = {
    mark: async (calls: Mutable[]) => await Promise.resolve(calls.forEach(mark)),
    unmark: async (calls: unknown[]) => await Promise.resolve(void unmarked.push(...calls)),
  } as unknown as PlacingRows;
  const rowNamed = (key: string) =>
    ({
      ...{ key, rows, lockedBy: `mark of ${key}`, isMarked: false, state: 'waiting' },
    }) as unknown as RowToPlace;
  return { rowNamed, unmarked };
}
const newCall = (callId: string, customerPhone = PHONE) => ({
  callId,
  request: { scriptId: 7, customerPhone, variables: {} },
});
const placed = (callId: string, hoursAgo: number) =>
  placedRow(newCall(callId), ACCOUNT, {
    ...{ status: 'in_progress', orderId: 1 },
    ...{ placedAt: NOON - hoursAgo * HOUR_MS, runAt: NOON },
  });
const ended = (callId: string, cost: number | null) => ({
  ...placed(callId, 2),
  ...outcomeColumns(
    readOutcome({ callStatus: 'completed', callDurationSec: 60, totalCallCost: cost }, 1),
    NOON - HOUR_MS,
  ),
});

describe('the places of a day', () => {
  it('are given one after the other, to calls of several executions that ask at once', async () => {
    const { log, admission } = await emptyLog([placed('a', 1)]);
    const [one, other] = [executionThat(), executionThat()];
    const objections = await inTime(
      Promise.all(
        [one.rowNamed('b'), other.rowNamed('c'), one.rowNamed('d')].map(
          async (row) =>
            await admission.admit({ ...applicantFor(3), row, log, workflow: 'Orders' }),
        ),
      ),
    );
    expect(objections).toEqual([undefined, undefined, CAP]);
  });

  it('are counted with the first call of the day, those to a person, and what calls cost', async () => {
    const { log, admission } = await emptyLog([
      ...[placed('yesterday', 13), placed('a', 3), ended('b', 1), ended('c', 3)],
      placedRow(newCall('d', '+12025550199'), ACCOUNT, {
        ...{ status: 'in_progress', orderId: 1, placedAt: NOON - HOUR_MS, runAt: NOON },
      }),
    ]);
    const { applicant, tallies } = applicantFor(9, { isCostAsked: true });
    const row = executionThat().rowNamed('e');
    await inTime(admission.admit({ applicant, row, log, workflow: 'Orders' }));
    // Two go on: each is expected to cost as much as the mean of the others.
    expect(tallies).toEqual([
      { calls: 4, firstAt: NOON - 3 * HOUR_MS, toPerson: 3, cost: 8, expectedCost: 2 },
    ]);
  });

  it.each<[string, IDataObject[], Partial<Tally>]>([
    ['nothing while no call has ended', [placed('a', 1)], { cost: 0, expectedCost: 0 }],
    ['an unknown sum when no cost can be read', [ended('a', null)], { expectedCost: undefined }],
  ])('cost %s', async (_, rows, tally) => {
    const { log, admission } = await emptyLog(rows);
    const { applicant, tallies } = applicantFor(9, { isCostAsked: true });
    const row = executionThat().rowNamed('b');
    await inTime(admission.admit({ applicant, row, log, workflow: 'Orders' }));
    expect(tallies).toEqual([expect.objectContaining(tally)]);
  });

  it('to a person are counted by all spellings of the number, also among calls that ask at once', async () => {
    const { log, admission } = await emptyLog();
    const { rowNamed } = executionThat();
    const objectionTo = ({ toPerson }: Tally) => (toPerson === 0 ? undefined : CAP);
    const phones = [PHONE, '+541123456789', PHONE, '+5491123456789', '+12025550199'];
    const asked = phones.map(async (phone, index) => {
      const { applicant } = applicantFor(9, { phone, objectionTo });
      return await admission.admit({ applicant, row: rowNamed(`${index}`), log, workflow: 'O' });
    });
    expect(await inTime(Promise.all(asked))).toEqual([undefined, undefined, CAP, CAP, undefined]);
  });

  it.each([
    ['the mark of its own row', 'own', undefined, 0],
    ['a mark whose place was given back', 'other', 'other', 0],
    ['a mark that another process has set since', 'other', 'third', 1],
    ['a mark of another process', 'other', undefined, 1],
  ])('count for a call %s', async (_, lockedBy, givenBack, calls) => {
    const marked = {
      ...placed('marked', 0),
      ...{ status: 'placing', orderId: null, lockedBy, lockedUntil: NOON + HOUR_MS },
    };
    const { log, admission } = await emptyLog([marked]);
    const key = callKey(marked as unknown as Row);
    const { rowNamed } = executionThat();
    if (givenBack !== undefined) {
      admission.giveBack(Object.assign(rowNamed(key), { lockedBy: givenBack }));
    }
    const { applicant, tallies } = applicantFor(9);
    const own = lockedBy === 'own' ? { key, lockedBy } : {};
    const row = Object.assign(rowNamed('own'), own);
    await inTime(admission.admit({ applicant, row, log, workflow: 'Orders' }));
    expect(tallies.map((tally) => tally.calls)).toEqual([calls]);
  });

  it.each([
    ['still full for a minute', 59_000, CAP],
    ['free after that', 61_000, undefined],
  ])('is %s when a person has deleted the row of a call', async (_, afterMs, objection) => {
    const { log, tables, admission } = await emptyLog([placed('a', 1), placed('b', 1)]);
    const { rowNamed } = executionThat();
    const admit = async (key: string) =>
      await admission.admit({ ...applicantFor(2), row: rowNamed(key), log, workflow: 'Orders' });
    const begin = Date.now();
    expect(await inTime(admit('c'))).toEqual(CAP);
    tables.rows.splice(0, 1);
    await jest.advanceTimersByTimeAsync(begin + afterMs - Date.now());
    expect(await inTime(admit('d'))).toEqual(objection);
  });

  it('go to the next call when the row of the first no longer waits', async () => {
    const { log, admission } = await emptyLog();
    const { rowNamed } = executionThat((row) => {
      if (row.key === 'a') row.state = 'settled';
      else row.isMarked = true;
    });
    const objections = await inTime(
      Promise.all(
        ['a', 'b', 'c'].map(
          async (key) =>
            await admission.admit({ ...applicantFor(1), row: rowNamed(key), log, workflow: 'O' }),
        ),
      ),
    );
    expect(objections).toEqual([undefined, undefined, CAP]);
  });

  it('are not given to calls of an execution whose rows cannot be marked', async () => {
    const { log, admission } = await emptyLog();
    const failing = executionThat(() => {
      throw new Error('n8n is away');
    });
    const asked = [failing.rowNamed('a'), executionThat().rowNamed('b')].map(
      async (row) => await admission.admit({ ...applicantFor(9), row, log, workflow: 'Orders' }),
    );
    const [refused, given] = await inTime(Promise.allSettled(asked));
    expect(refused).toMatchObject({ status: 'rejected', reason: new Error('n8n is away') });
    expect(given).toEqual({ status: 'fulfilled', value: undefined });
  });
});

describe('the lock under which calls are counted', () => {
  it('is waited for five minutes', async () => {
    const { log, admission } = await emptyLog();
    const waiting = jest.spyOn(Lock, 'whenFree').mockResolvedValue({ heldBy: 'Others' });
    const row = executionThat().rowNamed('a');
    await expect(
      inTime(admission.admit({ ...applicantFor(9), row, log, workflow: 'Orders' })),
    ).rejects.toThrow('the workflow "Others" has been counting today\'s calls for too long');
    const locker = { name: 'daily caps', workflow: 'Orders' };
    expect(waiting.mock.calls).toEqual([[log, locker, 300_000]]);
  });

  it('that is lost has every mark taken back, and is tried ten times', async () => {
    const { log, admission } = await emptyLog();
    const { value: release } = Object.getOwnPropertyDescriptor(
      Lock.prototype,
      'release',
    ) as TypedPropertyDescriptor<Lock['release']>;
    const releasing = jest.spyOn(Lock.prototype, 'release').mockImplementation(async function (
      this: Lock,
    ) {
      await release?.call(this);
      return false;
    });
    const { rowNamed, unmarked } = executionThat();
    const row = rowNamed('a');
    await expect(
      inTime(admission.admit({ ...applicantFor(9), row, log, workflow: 'Orders' })),
    ).rejects.toThrow(
      "today's calls could not be counted, because other executions counted at the same time",
    );
    expect([releasing.mock.calls.length, unmarked.length]).toEqual([10, 10]);
  });

  it('that may be lost has the mark taken back and set again', async () => {
    const { log, admission } = await emptyLog();
    const { value: release } = Object.getOwnPropertyDescriptor(
      Lock.prototype,
      'release',
    ) as TypedPropertyDescriptor<Lock['release']>;
    jest.spyOn(Lock.prototype, 'release').mockImplementationOnce(async function (this: Lock) {
      await release?.call(this);
      throw new Error('nobody knows');
    });
    const { rowNamed, unmarked } = executionThat();
    const row = rowNamed('a');
    const asked = admission.admit({ ...applicantFor(1), row, log, workflow: 'Orders' });
    expect(await inTime(asked)).toBeUndefined();
    expect(unmarked).toEqual([row]);
  });

  it('tells why calls cannot be read, also when it cannot be released', async () => {
    const { log, admission } = await emptyLog();
    jest.spyOn(Lock.prototype, 'release').mockRejectedValueOnce(new Error('n8n is away'));
    const { applicant } = applicantFor(1, {
      objectionTo: () => {
        throw new Error('the count is broken');
      },
    });
    const row = executionThat().rowNamed('a');
    await expect(
      inTime(admission.admit({ applicant, row, log, workflow: 'Orders' })),
    ).rejects.toThrow('the count is broken');
  });

  it('is freed when the calls cannot be read, and the failure told', async () => {
    const { log, tables, admission } = await emptyLog();
    const row = executionThat().rowNamed('a');
    const first = executionThat().rowNamed('first');
    await inTime(admission.admit({ ...applicantFor(9), row: first, log, workflow: 'Orders' }));
    tables.isFailing = (method, body) => method === 'GET' && body === 'null';
    await expect(
      inTime(admission.admit({ ...applicantFor(9), row, log, workflow: 'Orders' })),
    ).rejects.toThrow();
    tables.isFailing = () => false;
    const free = await inTime(Lock.acquire(log, { name: 'daily caps', workflow: 'Others' }));
    expect(free).toBeInstanceOf(Lock);
    if (free instanceof Lock) await inTime(free.release());
  });
});

describe('a call that asks whether its day is full', () => {
  it('is refused at once while the last count is fresh, for five seconds', async () => {
    const { log, admission } = await emptyLog([placed('a', 1)]);
    const { applicant } = applicantFor(1);
    expect(admission.earlyObjection(applicant)).toBeUndefined();
    let countedAt = 0;
    const counted: Applicant = {
      ...applicant,
      objectionTo: (tally) => {
        countedAt = Date.now();
        return applicant.objectionTo(tally);
      },
    };
    const row = executionThat().rowNamed('b');
    const asked = admission.admit({ applicant: counted, row, log, workflow: 'Orders' });
    expect(await inTime(asked)).toEqual(CAP);
    jest.setSystemTime(countedAt + 5_000);
    expect(admission.earlyObjection(applicant)).toEqual(CAP);
    expect(admission.earlyObjection(applicantFor(2).applicant)).toBeUndefined();
    jest.setSystemTime(countedAt + 5_001);
    expect(admission.earlyObjection(applicant)).toBeUndefined();
  });

  it('is not refused for costs by a count that left them out', async () => {
    const { log, admission } = await emptyLog([placed('a', 1)]);
    const admit = async (isCostAsked: boolean) => {
      const { applicant } = applicantFor(1, { isCostAsked });
      const row = executionThat().rowNamed(`b${isCostAsked}`);
      await inTime(admission.admit({ applicant, row, log, workflow: 'Orders' }));
      return applicant;
    };
    await admit(false);
    const costly = applicantFor(1, { isCostAsked: true }).applicant;
    expect(admission.earlyObjection(costly)).toBeUndefined();
    const counted = await admit(true);
    expect(admission.earlyObjection(counted)).toEqual(CAP);
  });

  it('asks anew after a place was given back', async () => {
    const { log, admission } = await emptyLog([placed('a', 1)]);
    const { applicant } = applicantFor(1);
    const row = executionThat().rowNamed('b');
    await inTime(admission.admit({ applicant, row, log, workflow: 'Orders' }));
    admission.giveBack(executionThat().rowNamed('c'));
    expect(admission.earlyObjection(applicant)).toBeUndefined();
  });
});

describe('the calls of a dry run', () => {
  it('come after those in the log, which is read once', async () => {
    const { log, tables } = await emptyLog([placed('a', 1), placed('yesterday', 30)]);
    const count = new DryCount(log);
    const objectionTo = async (applicant: Applicant) => await count.objectionTo(applicant);
    const { applicant, tallies } = applicantFor(2);
    expect(await inTime(objectionTo(applicant))).toBeUndefined();
    const { GET } = tables.requests;
    expect(await inTime(objectionTo(applicant))).toEqual(CAP);
    expect(tables.requests.GET).toBe(GET);
    // In some time zone, the day began before this one.
    const early = applicantFor(9, { dayStarts: () => daysSince(NOON - 36 * HOUR_MS) });
    await inTime(objectionTo(early.applicant));
    expect([...tallies, ...early.tallies].map(({ calls }) => calls)).toEqual([1, 2, 3]);
  });

  it('come after those without caps that would be placed', async () => {
    const { log } = await emptyLog([placed('a', 1)]);
    const count = new DryCount(log);
    for (const last of [1, 2]) count.add(`+1202555010${last}`);
    const { applicant, tallies } = applicantFor(9);
    await inTime(count.objectionTo(applicant));
    count.add('+12025550103');
    await inTime(count.objectionTo(applicant));
    expect(tallies.map(({ calls }) => calls)).toEqual([3, 5]);
  });
});
