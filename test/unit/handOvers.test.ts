import type { Cursor, Cursors } from '../../nodes/OutboundAiCalling/callLog/ends/cursors';
import { IdRanges } from '../../nodes/OutboundAiCalling/callLog/ends/idRanges';
import { VISIBLE_WITHIN_MS } from '../../nodes/OutboundAiCalling/callLog/table/cells';
import { handOversOf, HandOvers } from '../../nodes/OutboundAiCalling/trigger/watch/handOvers';
import { fc } from '../generators';

const NOW = Date.UTC(2030, 0, 1);
/** The newest row when the trigger was published. */
const BEFORE = 100;

const end = (id: number) => ({ id, key: `call ${id}` });

/** The table of cursors, in which one trigger has its row. */
class Table {
  saved = `[[0,${BEFORE}]]`;
  seenUntil = NOW;
  saves = 0;
  isAway = false;
  readonly cursors = {
    readAt: Infinity,
    own: async () => ({ done: IdRanges.fromText(this.saved), seenUntil: this.seenUntil }),
    isOutdated: () => false,
    save: async ({ done, seenUntil }: Cursor) => {
      if (this.isAway) throw new Error('n8n is away');
      this.saves++;
      await Promise.resolve();
      this.saved = JSON.stringify(done.all());
      this.seenUntil = seenUntil;
    },
  } as Partial<Cursors> as Cursors;
}

const row = (id: number, writtenAt: number) => ({
  id,
  createdAt: new Date(writtenAt).toISOString(),
  updatedAt: '',
});

let tables = 0;

/** A poll of the trigger of that table, in this process. */
async function poll(table: Table, key = `table ${tables++}`): Promise<HandOvers> {
  return await handOversOf(key, table.cursors);
}

/** Reads all ends that there are, and takes the new ones. */
function read(handOvers: HandOvers, ids: number[], now = NOW): number[] {
  const pass = handOvers.beginPass(now);
  const seen = ids.filter((id) => id > pass.from).sort((a, b) => a - b);
  const taken = seen.filter((id) => handOvers.isNew(id) && handOvers.take(end(id)));
  handOvers.endPass({ ...pass, from: seen.at(-1) ?? pass.from }, now);
  return taken;
}

describe('the cursor of a trigger', () => {
  it('notes what n8n has taken, and nothing before', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    expect(read(handOvers, [101, 102])).toEqual([101, 102]);
    expect(table.saved).toBe('[[0,100]]');
    await handOvers.done([end(101), end(102)]);
    expect(table.saved).toBe('[[0,102]]');
    expect(read(await poll(table), [101, 102])).toEqual([]);
  });

  it('is saved by the next poll when it could not be saved', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'unsaved');
    read(handOvers, [101]);
    table.isAway = true;
    await expect(handOvers.done([end(101)])).rejects.toThrow('away');
    await poll(table, 'unsaved');
    table.isAway = false;
    await poll(table, 'unsaved');
    expect(table.saved).toBe('[[0,101]]');
  });

  it('begins after the rows that were there when the trigger was published', async () => {
    expect(read(await poll(new Table()), [90, 100, 101])).toEqual([101]);
  });

  it('stays before an end that is still being handed over, so that a kill loses nothing', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    expect(read(handOvers, [101, 102])).toEqual([101, 102]);
    await handOvers.done([end(102)]);
    expect(read(await poll(table), [101, 102])).toEqual([101]);
  });

  it('never gives an end twice while it is handed over, also not to the next poll', async () => {
    const table = new Table();
    expect(read(await poll(table, 'twice'), [101])).toEqual([101]);
    expect(read(await poll(table, 'twice'), [101])).toEqual([]);
  });

  it('finds an end that becomes visible after one with a higher id', async () => {
    const handOvers = await poll(new Table());
    await handOvers.done(read(handOvers, [105]).map(end));
    expect(read(handOvers, [102, 105], NOW + VISIBLE_WITHIN_MS)).toEqual([102]);
  });

  it('does not move past the ids that may still become visible', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    await handOvers.done(read(handOvers, [105]).map(end));
    expect(table.saved).toBe('[[0,100],[105,105]]');
    read(handOvers, [105], NOW + VISIBLE_WITHIN_MS);
    await handOvers.done(read(handOvers, [105, 106], NOW + VISIBLE_WITHIN_MS + 1).map(end));
    expect(table.saved).toBe('[[0,106]]');
  });

  it('gives no second end of an attempt whose first became visible late', async () => {
    const handOvers = await poll(new Table());
    expect(handOvers.take({ id: 105, key: 'a#1' })).toBe(true);
    await handOvers.done([{ id: 105, key: 'a#1' }]);
    expect(handOvers.take({ id: 102, key: 'a#1' })).toBe(false);
  });

  it('gives an end again that n8n has not taken, also when that is known late', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'late');
    read(handOvers, [101, 102, 103]);
    await handOvers.done([end(101), end(102), end(103)]);
    read(handOvers, [101, 102, 103], NOW + VISIBLE_WITHIN_MS);
    await handOvers.undone([end(102)]);
    expect(table.saved).toBe('[[0,101],[103,103]]');
    expect(read(await poll(table, 'late'), [101, 102, 103], NOW + VISIBLE_WITHIN_MS)).toEqual([
      102,
    ]);
    await handOvers.done([end(102)]);
    expect(read(handOvers, [101, 102, 103], NOW + 2 * VISIBLE_WITHIN_MS)).toEqual([]);
  });

  it('goes back for what n8n refused although that could not be written down', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'away');
    await handOvers.done(read(handOvers, [101, 102]).map(end));
    table.isAway = true;
    await expect(handOvers.undone([end(101)])).rejects.toThrow('away');
    table.isAway = false;
    expect(read(await poll(table, 'away'), [101, 102])).toEqual([101]);
  });

  it('leaves alone what n8n refused here and has taken from another process since', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'led by another');
    await handOvers.undone(read(handOvers, [101]).map(end));
    table.saved = '[[0,101]]';
    expect(read(await poll(table, 'led by another'), [101])).toEqual([]);
  });

  it('is not asked to hand over again what could not be written down', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'unwritten');
    const ends = read(handOvers, [101]).map(end);
    table.isAway = true;
    await expect(handOvers.done(ends)).rejects.toThrow('away');
    table.isAway = false;
    expect(read(await poll(table, 'unwritten'), [101])).toEqual([]);
  });

  it('gives ends that got the ids of deleted ones a second later, before a newer end hides them', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    const first = [row(101, NOW + 1), row(102, NOW + 2), row(103, NOW + 3)];
    handOvers.see(first);
    await handOvers.done(read(handOvers, [101, 102, 103]).map(end));
    // 102 and 103 are deleted.
    const rows = [first[0]!, row(102, NOW + 900), row(103, NOW + 1_000), row(104, NOW + 1_100)];
    const log = { endsUpTo: async (id: number) => rows.filter((one) => one.id <= id).reverse() };
    expect(await handOvers.heedReusedIds(log, NOW, rows.slice(3))).toBe(true);
    expect(await handOvers.heedReusedIds(log, NOW, rows.slice(1))).toBe(false);
    handOvers.see(rows.slice(1));
    expect(read(handOvers, [101, 102, 103, 104])).toEqual([102, 103, 104]);
  });

  it('knows in the next poll, too, that an id was given again', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'given again');
    handOvers.see([row(101, NOW + 1)]);
    await handOvers.done(read(handOvers, [101]).map(end));
    const again = row(101, NOW + 60_000);
    const log = { endsUpTo: async (id: number) => (id < 101 ? [] : [again]) };
    expect(await handOvers.heedReusedIds(log, NOW)).toBe(true);
    handOvers.see([again]);
    expect(read(handOvers, [101])).toEqual([101]);
    handOvers.postpone(101);
    table.isAway = true;
    const next = await poll(table, 'given again');
    expect(read(next, [101])).toEqual([101]);
    table.isAway = false;
    await next.done([end(101)]);
    expect(read(await poll(table, 'given again'), [101])).toEqual([]);
  });

  it('stays before an end that cannot be read yet', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    expect(read(handOvers, [101, 102])).toEqual([101, 102]);
    expect(handOvers.unreadableFor(101, NOW)).toBe(0);
    handOvers.postpone(101);
    await handOvers.done([end(102)]);
    expect(read(handOvers, [101, 102], NOW + VISIBLE_WITHIN_MS)).toEqual([101]);
    expect(handOvers.unreadableFor(101, NOW + 7)).toBe(7);
    handOvers.postpone(101);
    expect(read(await poll(table), [101, 102])).toEqual([101]);
  });

  it('is written down a few times only, however many ends are done with at once', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    const ends = Array.from({ length: 50 }, (_, index) => end(BEFORE + 1 + index));
    ends.forEach((one) => handOvers.take(one));
    await Promise.all(ends.map(async (one) => await handOvers.done([one])));
    expect(table.saves).toBeLessThanOrEqual(3);
    expect(table.saved).toBe(`[[0,${BEFORE + 50}]]`);
  });

  it('never loses an end or gives it twice, in whatever order n8n takes and refuses', async () => {
    const step = fc.record({
      which: fc.nat(9),
      what: fc.constantFrom('done', 'undone', 'poll', 'restart', 'show'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const table = new Table();
        const all = Array.from({ length: 10 }, (_, index) => BEFORE + 1 + 3 * index);
        const visible = new Set<number>();
        const taken = new Set<number>();
        let now = NOW;
        let key = `any ${tables++}`;
        let handOvers = await poll(table, key);
        let underWay: number[] = [];
        for (const { which, what } of steps) {
          const id = all[which] ?? 0;
          if (what === 'show') visible.add(id);
          else if (what === 'done' || what === 'undone') {
            if (!underWay.includes(id)) continue;
            underWay = underWay.filter((other) => other !== id);
            await handOvers[what]([end(id)]);
            if (what === 'done') taken.add(id);
          } else {
            if (what === 'restart') {
              key = `any ${tables++}`;
              underWay = [];
            }
            handOvers = await poll(table, key);
            const again = read(handOvers, [...visible], now);
            expect(again.filter((one) => taken.has(one))).toEqual([]);
            underWay.push(...again);
            // By the time of the next poll everything that was numbered before can be seen.
            for (const one of all) if (one < Math.max(0, ...visible)) visible.add(one);
            now += VISIBLE_WITHIN_MS;
          }
        }
        const rest = read(await poll(table, `any ${tables++}`), all);
        expect([...rest, ...taken].sort((a, b) => a - b)).toEqual(all);
      }),
    );
  });
});
