import fc from 'fast-check';
import type { Place, Places } from '../../nodes/OutboundAiCalling/callLog/places';
import { handOversOf, HandOvers } from '../../nodes/OutboundAiCalling/trigger/watch/handOvers';

const NOW = Date.UTC(2030, 0, 1);
const WINDOW_MS = 120_000;

const copyOf = ({ since, position, handedOver }: Place): Place => ({
  since,
  position,
  handedOver: new Map(handedOver),
});
const newPlace = (): Place => ({ since: NOW, position: NOW, handedOver: new Map() });
const end = (key: string, afterMs: number) => ({ key, writtenAt: NOW + afterMs });
const keysOf = (ends: Array<{ key: string }>) => ends.map(({ key }) => key);

/** The table of places, in which one trigger has its row. */
class Table {
  saved = newPlace();
  saves = 0;
  isAway = false;
  readonly places = {
    own: async () => copyOf(this.saved),
    save: async (place: Place) => {
      if (this.isAway) throw new Error('n8n is away');
      this.saves++;
      await Promise.resolve();
      this.saved = copyOf(place);
    },
  } as Partial<Places> as Places;
}

let tables = 0;

/** A poll of the trigger of that table, in this process. */
async function poll(table: Table, key = `table ${tables++}`): Promise<HandOvers> {
  return await handOversOf(key, table.places);
}

describe('the place of a trigger', () => {
  it('moves on when n8n has taken what was handed over, and not before', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    const ends = handOvers.take([end('a', 10), end('b', 20)]);
    expect(keysOf(ends)).toEqual(['a', 'b']);
    expect(table.saved.position).toBe(NOW);
    await handOvers.done(ends);
    expect(table.saved.position).toBe(NOW + 20);
    expect(keysOf(await poll(table).then((next) => next.take(ends)))).toEqual([]);
  });

  it('stays before an end that is still being handed over, so that a kill loses nothing', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    const [first, second] = handOvers.take([end('slow', 10), end('quick', WINDOW_MS * 2)]);
    if (first === undefined || second === undefined) throw new Error('not given');
    await handOvers.done([second]);
    expect(table.saved.position).toBeLessThan(first.writtenAt);
    const restarted = await poll(table);
    expect(keysOf(restarted.take([first, second]))).toEqual(['slow']);
  });

  it('never gives an end twice while it is handed over, also not to the next poll', async () => {
    const table = new Table();
    const first = await poll(table, 'twice');
    expect(first.take([end('a', 10)])).toHaveLength(1);
    const second = await poll(table, 'twice');
    expect(second.take([end('a', 10)])).toEqual([]);
  });

  it('gives an end again that n8n has not taken, also when that is known late', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'late');
    const ends = handOvers.take([end('a', 10), end('b', WINDOW_MS * 2)]);
    await handOvers.done(ends);
    await handOvers.undone(ends.slice(0, 1));
    const next = await poll(table, 'late');
    expect(next.from).toBeLessThanOrEqual(NOW + 10);
    expect(keysOf(next.take(ends))).toEqual(['a']);
    await next.done(ends.slice(0, 1));
    expect(next.take(ends.filter(({ writtenAt }) => writtenAt >= next.from))).toEqual([]);
  });

  it('goes back for what n8n refused although that could not be written down', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'away');
    const ends = handOvers.take([end('a', 10), end('b', WINDOW_MS * 2)]);
    await handOvers.done(ends);
    table.isAway = true;
    await expect(handOvers.undone(ends.slice(0, 1))).rejects.toThrow('away');
    table.isAway = false;
    const next = await poll(table, 'away');
    expect(next.from).toBeLessThanOrEqual(NOW + 10);
    expect(keysOf(next.take(ends))).toEqual(['a']);
  });

  it('is not asked to hand over again what could not be written down', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'unwritten');
    const ends = handOvers.take([end('a', 10)]);
    table.isAway = true;
    await expect(handOvers.done(ends)).rejects.toThrow('away');
    table.isAway = false;
    expect((await poll(table, 'unwritten')).take(ends)).toEqual([]);
  });

  it('stays before an end that cannot be read yet', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    expect(handOvers.postpone(end('unreadable', 10), NOW)).toBe(0);
    expect(handOvers.postpone(end('unreadable', 10), NOW + 7)).toBe(7);
    await handOvers.done(handOvers.take([end('b', WINDOW_MS * 2)]));
    expect(table.saved.position).toBeLessThan(NOW + 10);
    const restarted = await poll(table);
    expect(restarted.isNew(end('unreadable', 10))).toBe(true);
  });

  it('hands over again only what n8n refused late, however long ago', async () => {
    const table = new Table();
    const handOvers = await poll(table, 'late');
    const early = [end('a', 10), end('refused', 20), end('b', 30)];
    await handOvers.done(handOvers.take(early));
    await handOvers.done(handOvers.take([end('c', WINDOW_MS * 3)]));
    await handOvers.undone([end('refused', 20)]);
    const all = [...early, end('c', WINDOW_MS * 3)];
    expect(handOvers.from).toBeLessThan(NOW + 20);
    expect(handOvers.take(all)).toEqual([end('refused', 20)]);
  });

  it('is written down a few times only, however many ends are done with at once', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    const ends = Array.from({ length: 50 }, (_, index) => end(`${index}`, index));
    await Promise.all(handOvers.take(ends).map(async (one) => await handOvers.done([one])));
    expect(table.saves).toBeLessThanOrEqual(3);
    expect(table.saved.handedOver.size).toBe(50);
    expect(table.saved.position).toBe(NOW + 49);
  });

  it('keeps few keys: those of the window only', async () => {
    const table = new Table();
    const handOvers = await poll(table);
    for (let minute = 0; minute < 10; minute++) {
      await handOvers.done(handOvers.take([end(`${minute}`, minute * 60_000)]));
    }
    expect([...table.saved.handedOver.keys()]).toEqual(['7', '8', '9']);
  });

  it('never loses an end or gives it twice, in whatever order n8n takes and refuses', async () => {
    const step = fc.record({
      which: fc.nat(9),
      what: fc.constantFrom('done', 'undone', 'poll', 'restart'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3 * WINDOW_MS), { minLength: 10, maxLength: 10 }),
        fc.array(step, { maxLength: 40 }),
        async (times, steps) => {
          const table = new Table();
          const all = times.map((time, index) => end(`${index}`, time));
          const taken = new Set<string>();
          let key = `any ${tables++}`;
          let handOvers = await poll(table, key);
          const readable = () => all.filter(({ writtenAt }) => writtenAt >= handOvers.from);
          let underWay = handOvers.take(readable());
          for (const { which, what } of steps) {
            const one = underWay.find((candidate) => candidate.key === `${which}`);
            if (what === 'restart') {
              key = `any ${tables++}`;
              underWay = [];
            }
            if (what === 'restart' || what === 'poll') {
              handOvers = await poll(table, key);
              const again = handOvers.take(readable());
              expect(again.filter((given) => taken.has(given.key))).toEqual([]);
              underWay.push(...again);
            } else if (one !== undefined) {
              underWay = underWay.filter((other) => other !== one);
              await handOvers[what]([one]);
              if (what === 'done') taken.add(one.key);
            }
          }
          handOvers = await poll(table, `any ${tables++}`);
          const rest = keysOf(handOvers.take(readable()));
          expect([...rest, ...taken].sort()).toEqual(keysOf(all).sort());
        },
      ),
    );
  });
});
