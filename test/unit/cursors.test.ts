import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import {
  Cursors,
  endsToHandOver,
  giveUpAfterMsOf,
  isRead,
  type Reader,
} from '../../nodes/OutboundAiCalling/callLog/ends/cursors';
import { IdRanges } from '../../nodes/OutboundAiCalling/callLog/ends/idRanges';
import { Lock } from '../../nodes/OutboundAiCalling/callLog/lock';
import { MemoryTables } from './memoryTables';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-11-21T12:00:00Z');
let made = 0;

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

async function openLog(account = 'own', tables = new MemoryTables(`cursors${++made}x`)) {
  const locator = { mode: 'id', value: tables.tableId };
  return { tables, log: await CallLog.openExisting(tables.context, locator, account) };
}

/** Writes ends, all at the present time. */
const insertEnds = (tables: MemoryTables, count: number, account = 'own') =>
  tables.insert(
    Array.from({ length: count }, () => ({
      ...{ account, callId: 'a', status: 'completed', request: '{}' },
      finishedAt: new Date().toISOString(),
    })),
  );

const open = async (log: CallLog, reader: Partial<Reader> = {}) =>
  await Cursors.open(log, {
    ...{ workflow: 'Outcomes', trigger: 'one', giveUpAfterMs: HOUR },
    ...reader,
  });

/** Lets a trigger poll a log. */
const poll = async (log: CallLog, reader: Partial<Reader> = {}) => {
  const cursors = await open(log, reader);
  await cursors.save(await cursors.own());
};

describe('a new trigger', () => {
  it('begins with the ends that are written from now on', async () => {
    const { tables, log } = await openLog();
    insertEnds(tables, 3);
    const warn = jest.fn();
    const { done, seenUntil } = await (await open(log, { warn })).own();
    expect([done.all(), seenUntil]).toEqual([[[0, 3]], NOON]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('that somebody has moved from another table begins where it last polled there', async () => {
    const { tables, log } = await openLog();
    insertEnds(tables, 2);
    jest.setSystemTime(NOON + HOUR);
    insertEnds(tables, 2);
    const first = await open(log, { trigger: 'first', cameFromAnotherAt: NOON - 1 });
    expect(await first.own()).toMatchObject({ done: new IdRanges([[0, 0]]), seenUntil: 0 });
    const second = await open(log, { trigger: 'second', cameFromAnotherAt: NOON });
    expect(await second.own()).toMatchObject({ done: new IdRanges([[0, 2]]), seenUntil: NOON });
  });

  it.each<[string, number, string | undefined, number]>([
    [
      'the outcomes of the new key, when its calls are younger than the trigger',
      HOUR,
      undefined,
      0,
    ],
    ['none of before, when a call is as old as the trigger', 0, undefined, 2],
    ['those also when another trigger got the new key before, on the same day', HOUR, 'two', 0],
    [
      'none of before, when another trigger has watched its calls for more than a day',
      DAY,
      'two',
      2,
    ],
  ])('has, after an exchange of the API key, %s', async (_, afterMs, watcher, position) => {
    const { tables, log } = await openLog();
    await poll(log);
    jest.setSystemTime(NOON + afterMs);
    insertEnds(tables, 1, 'other');
    insertEnds(tables, 1);
    const done = new IdRanges([[0, 2]]);
    await (await open(log)).save({ done, seenUntil: Date.now() });
    const { log: exchanged } = await openLog('other', tables);
    if (watcher !== undefined) await poll(exchanged, { trigger: watcher });
    const seenUntil = position === 0 ? NOON : Date.now();
    if (afterMs === DAY) jest.setSystemTime(Date.now() + DAY);
    const cursor = await (await open(exchanged)).own();
    expect(cursor).toEqual({ done: new IdRanges([[0, position]]), seenUntil });
  });

  it('takes the place that the trigger had with another API key', async () => {
    const { tables, log } = await openLog();
    insertEnds(tables, 2);
    await poll(log);
    insertEnds(tables, 1);
    const { log: exchanged } = await openLog('other', tables);
    expect((await (await open(exchanged)).own()).done.all()).toEqual([[0, 2]]);
  });
});

describe('the cursor of a trigger', () => {
  it('is read as it was saved', async () => {
    const { log } = await openLog();
    const cursors = await open(log);
    await cursors.own();
    const saved = {
      done: new IdRanges([
        [0, 2],
        [5, 6],
        [9, 9],
      ]),
      seenUntil: NOON,
    };
    await cursors.save(saved);
    expect(await (await open(log)).own()).toEqual(saved);
  });

  it('is found among those of more triggers than one answer has', async () => {
    const { tables, log } = await openLog();
    const cursors = await open(log);
    await cursors.save({ ...(await cursors.own()), seenUntil: NOON });
    jest.setSystemTime(NOON + HOUR);
    await poll(log, { trigger: 'two' });
    const two = tables.besideRows.at(-1);
    for (let id = 3; id <= 251; id++) tables.besideRows.push({ ...two, id, trigger: `${id}` });
    expect(await (await open(log)).own()).toMatchObject({ seenUntil: NOON });
    expect(tables.besideRows).toHaveLength(251);
  });

  it('goes on where it was, and says so, when a person has deleted its row', async () => {
    const { tables, log } = await openLog();
    const warn = jest.fn();
    const known = { done: new IdRanges([[0, 7]]), seenUntil: NOON };
    expect(await (await open(log, { warn })).own(known)).toEqual(known);
    expect(tables.besideRows).toMatchObject([{ position: 7, seenUntil: NOON }]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('it goes on where it was.')]]);
  });

  it('begins again, and says so, when its row is gone and no process remembers it', async () => {
    const { log } = await openLog();
    const warn = jest.fn();
    await (await open(log, { warn, wasHere: true })).own();
    expect(warn.mock.calls).toEqual([[expect.stringContaining('it begins again, and outcomes')]]);
  });

  it('is outdated when it was saved a day ago, or with other settings', async () => {
    const { log } = await openLog();
    const isOutdated = async (reader?: Partial<Reader>) => (await open(log, reader)).isOutdated();
    expect(await isOutdated()).toBe(false);
    await poll(log);
    expect(await isOutdated()).toBe(false);
    expect(await isOutdated({ workflow: 'Renamed' })).toBe(true);
    expect(await isOutdated({ giveUpAfterMs: 2 * HOUR })).toBe(true);
    jest.setSystemTime(NOON + DAY + 1);
    expect(await isOutdated()).toBe(true);
    const late = await open(log);
    await late.save(await late.own());
    expect([late.isOutdated(), await isOutdated()]).toEqual([false, false]);
  });
});

describe('who waits for the outcomes of a log', () => {
  it('is nobody when it has neither triggers nor Place Scheduled Calls', async () => {
    const { tables, log } = await openLog();
    expect(await isRead(log)).toBe(false);
    expect(await giveUpAfterMsOf(log)).toBe(DAY);
    expect(tables.requests.POST).toBe(0);
  });

  it('is each trigger that has polled within 40 days, the most patient as long as it says', async () => {
    const { log } = await openLog();
    await poll(log, { trigger: 'patient', giveUpAfterMs: 48 * HOUR });
    jest.setSystemTime(NOON + 20 * DAY);
    await poll(log);
    const patience = async () => [await giveUpAfterMsOf(log), (await open(log)).giveUpAfterMs()];
    expect(await patience()).toEqual([48 * HOUR, 48 * HOUR]);
    const other = await open(log, { trigger: 'new', giveUpAfterMs: 72 * HOUR });
    expect(other.giveUpAfterMs()).toBe(72 * HOUR);
    jest.setSystemTime(NOON + 41 * DAY);
    expect(await patience()).toEqual([HOUR, HOUR]);
    expect(await isRead(log)).toBe(true);
    jest.setSystemTime(NOON + 61 * DAY);
    expect(await isRead(log)).toBe(false);
  });

  it('is no trigger whose patience a person has emptied', async () => {
    const { tables, log } = await openLog();
    await poll(log);
    await poll(log, { trigger: 'two' });
    delete tables.besideRows[1]?.giveUpAfterHours;
    expect(await giveUpAfterMsOf(log)).toBe(HOUR);
  });

  it('goes by the settings that the trigger has now, not by those that it had', async () => {
    const { log } = await openLog();
    await poll(log, { giveUpAfterMs: 48 * HOUR });
    expect((await open(log)).giveUpAfterMs()).toBe(HOUR);
  });

  it('is Place Scheduled Calls for four days after it ran', async () => {
    const { log } = await openLog();
    const lock = await Lock.acquire(log, { name: 'place scheduled calls', workflow: 'Calls' });
    if ('heldBy' in lock) throw new Error('held');
    await lock.release();
    jest.setSystemTime(NOON + 4 * DAY - 1);
    expect(await isRead(log)).toBe(true);
    jest.setSystemTime(NOON + 4 * DAY);
    expect(await isRead(log)).toBe(false);
  });

  it('is the trigger that has not handed over an end, or that has not seen it under a used id', async () => {
    const { tables, log } = await openLog();
    insertEnds(tables, 2);
    await poll(log);
    insertEnds(tables, 1);
    await poll(log, { trigger: 'two', workflow: 'Later' });
    jest.setSystemTime(NOON + HOUR);
    const { waitedForBy, doneUpTo } = await endsToHandOver(log, Date.now());
    const waitedFor = () => tables.rows.map((row) => waitedForBy(row));
    expect(waitedFor()).toEqual([undefined, undefined, 'Outcomes']);
    Object.assign(tables.rows[0] ?? {}, { createdAt: new Date().toISOString() });
    expect(waitedFor()).toEqual(['Outcomes', undefined, 'Outcomes']);
    expect(doneUpTo).toBe(2);
    expect((await endsToHandOver(log, NOON + 41 * DAY)).doneUpTo).toBe(Infinity);
  });
});
