import type { IDataObject } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { endAbandoned } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import {
  findOutOfReach,
  outOfReach,
} from '../../nodes/OutboundAiCalling/callLog/reading/outOfReach';
import { holds, type Condition } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { MemoryTables } from './memoryTables';

const ENDED_AT = '2026-11-21T10:00:00.000Z';
const row = (columns: IDataObject): IDataObject => ({
  account: 'own',
  batch: '',
  lockedBy: '',
  lockedUntil: 0,
  finishedAt: null,
  ...columns,
});

async function sentencesOf(log: CallLog, ofOthers?: Condition[][]): Promise<string[]> {
  const found = await findOutOfReach(log, { ...(ofOthers && { ofOthers }) });
  return found.map(({ sentence }) => sentence);
}

describe('rows out of reach', () => {
  it.each<[string, IDataObject, ReturnType<typeof outOfReach>]>([
    ['scheduled', { status: 'scheduled' }, undefined],
    ['ended by the service', { status: 'completed', finishedAt: ENDED_AT }, undefined],
    [
      'a call that the service has taken, with its word',
      { status: 'busy', orderId: '7' },
      undefined,
    ],
    ['of another account', { account: 'other', status: 'scheduled' }, 'otherAccount'],
    ['rung by another account', { account: 'other', status: 'in_progress' }, 'otherAccountDone'],
    [
      'ended by another account',
      { account: 'other', status: 'completed', finishedAt: ENDED_AT },
      'otherAccountDone',
    ],
    ['cancelled by another account', { account: 'other', status: 'cancelled' }, 'otherAccountDone'],
    ['without an account', { account: null, status: 'scheduled' }, 'noAccount'],
    ['an account of no letters', { account: '', status: 'scheduled' }, 'noAccount'],
    ['a call that goes on and whose status was emptied', { status: '', orderId: '7' }, 'noStatus'],
    ['a word that the service cannot have said', { status: 'Scheduled!' }, 'noStatus'],
    ['scheduled, and a space', { status: 'scheduled ' }, undefined],
    ['in progress, and a space', { status: 'in_progress ', orderId: '7' }, 'noStatus'],
    ['scheduled with an end', { status: 'scheduled', finishedAt: ENDED_AT }, 'endedBefore'],
  ])('are told by their cells: %s', (_, columns, expected) => {
    expect(outOfReach({ id: 1, ...row(columns) }, 'own')).toBe(expected);
  });

  it('are also calls in progress of another account at which nobody has looked for an hour', async () => {
    const tables = new MemoryTables('log-of-calls-in-progress');
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    const open = { account: 'other', status: 'in_progress', orderId: '7' };
    tables.insert([row({ ...open, callId: 'a', runAt: Date.now() - 7_200_000 })]);
    tables.insert([row({ ...open, callId: 'b', runAt: Date.now() + 5_000 })]);
    expect(await sentencesOf(log)).toEqual([
      '1 row written with another API key or base URL is out of reach: use that credential again to work with them. Do not schedule their calls again: these people were called, may have been, or are not to be called.',
    ]);
  });

  it('are counted once, also when several conditions describe them', async () => {
    const tables = new MemoryTables('log-of-rows-described-twice');
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert([row({ status: 'scheduled', account: 'other', callId: 'a', finishedAt: null })]);
    const [sentence] = await sentencesOf(log, [[], [holds('status', 'eq', 'scheduled')]]);
    expect(sentence).toMatch(/^1 row /);
  });

  it('are no rows of a list that another account is about to place', async () => {
    const tables = new MemoryTables('log-of-rows-in-turn');
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    const ahead = { account: 'other', status: 'scheduled', batch: 'list', lockedBy: 'list' };
    tables.insert([
      row({ ...ahead, callId: 'a', lockedUntil: Date.now() + 5_000 }),
      row({ ...ahead, callId: 'b', lockedUntil: Date.now() - 5_000 }),
    ]);
    expect(await sentencesOf(log)).toEqual([
      expect.stringMatching(/^1 row written with another API key /),
    ]);
  });

  it('are ended by nobody, and counted', async () => {
    const tables = new MemoryTables('log-of-rows-out-of-reach');
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert([
      row({ callId: 'a', status: '', orderId: '7' }),
      row({ callId: 'b', status: 'to be called' }),
      row({ callId: 'c', status: 'cancelled' }),
      row({ callId: 'd', status: 'scheduled', account: 'other' }),
      row({ callId: 'e', status: 'completed', account: 'other', finishedAt: ENDED_AT }),
    ]);
    await endAbandoned(log, Date.now());
    const ended = tables.rows.filter(({ finishedAt }) => finishedAt !== null);
    expect(ended.map(({ callId }) => callId)).toEqual(['e', 'c']);
    expect(await sentencesOf(log, [[]])).toEqual([
      expect.stringMatching(
        /^1 row written with another API key .* schedule these calls alone again, wi/,
      ),
      expect.stringMatching(/^1 row written with another API key .* Do not schedule their calls /),
      expect.stringMatching(/^2 rows with an unknown status are out of reach: /),
    ]);
  });

  it('keep no end of another call from being written, however many they are', async () => {
    const tables = new MemoryTables('log-of-many-rows-out-of-reach');
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    const strange = Array.from({ length: 260 }, (_, index) => `strange${index}`);
    tables.insert(strange.map((callId) => row({ callId, status: 'Done' })));
    tables.insert([row({ callId: 'doubted', status: 'maybe_placed', lockedUntil: 5 })]);
    await endAbandoned(log, Date.now());
    const ended = tables.rows.filter(({ finishedAt }) => finishedAt !== null);
    expect(ended.map(({ callId }) => callId)).toEqual(['doubted']);
    expect(tables.rows).toHaveLength(261);
  });
});
