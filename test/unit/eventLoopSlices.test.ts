import {
  noteOf,
  LoadedContacts,
} from '../../nodes/OutboundAiCalling/actions/campaign/loadedContacts';
import { readRows } from '../../nodes/OutboundAiCalling/contacts/contact';
import { readContactList } from '../../nodes/OutboundAiCalling/contacts/contactList';
import { decodeCsvFile, readCsv } from '../../nodes/OutboundAiCalling/contacts/csv';
import { inSlices } from '../../nodes/OutboundAiCalling/eventLoopSlices';
import { readJsonList } from '../../nodes/OutboundAiCalling/contacts/jsonList';

const HEARD = { scriptId: 7, kind: 'cod' as const, variables: {} };
let now = 1_000_000;
let msPerLook = 0;
let breaks = 0;

/** A clock that moves only by work, and the timers by which n8n's event loop gets its turn. */
beforeEach(() => {
  breaks = 0;
  msPerLook = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => (now += msPerLook));
  const { setTimeout } = global;
  jest.spyOn(global, 'setTimeout').mockImplementation(((resume: () => void) => {
    breaks++;
    return setTimeout(resume, 0);
  }) as typeof setTimeout);
});
afterEach(() => jest.restoreAllMocks());

const takes = (ms: number) => () => {
  now += ms;
};

describe('work in slices', () => {
  it('is done whole and in order, with a break after every 15 ms', async () => {
    await inSlices([0], takes(15));
    breaks = 0;
    const done: Array<[number, number]> = [];
    await inSlices(Array(60).keys(), (element, index) => {
      done.push([element, index]);
      now += 5;
    });
    expect(done).toEqual([...Array(60).keys()].map((index) => [index, index]));
    expect(breaks).toBe(60 / 3);
  });

  it('counts the work of lists that follow each other as one slice', async () => {
    await inSlices([0], takes(15));
    breaks = 0;
    for (let list = 0; list < 60; list++) await inSlices([list], takes(5));
    expect(breaks).toBe(60 / 3);
  });

  it('counts what a list does before it gives its next element', async () => {
    function* slow() {
      for (let element = 0; element < 10; element++) {
        now += 15;
        yield element;
      }
    }
    await inSlices(slow(), takes(0));
    expect(breaks).toBe(10);
  });

  it('gives way also when the clock is set back', async () => {
    await inSlices([0], takes(15));
    breaks = 0;
    await inSlices([1, 2, 3], takes(-1000));
    expect(breaks).toBe(3);
  });

  it('fails as the work fails', async () => {
    const work = () => {
      throw new Error('broken');
    };
    await expect(inSlices([1], work)).rejects.toThrow('broken');
    await expect(inSlices([], work)).resolves.toBeUndefined();
  });
});

describe('n8n gets its turn', () => {
  const COUNT = 400;
  const contacts = Array.from({ length: COUNT }, (_, index) => ({
    customerPhone: `+1202555${1000 + index}`,
  }));
  const csv = `phone\n${contacts.map(({ customerPhone }) => customerPhone).join('\n')}`;
  const list = { removeDuplicates: true };

  /** When each look at the clock is a slice of work, each element is followed by a break. */
  async function breaksIn(work: () => unknown): Promise<number> {
    msPerLook = 15;
    breaks = 0;
    await work();
    return breaks;
  }

  it('after any row while contacts are read and checked', async () => {
    const reading = readCsv(csv);
    const rows = readRows('rows' in reading ? reading.rows : []);
    expect(await breaksIn(async () => await readContactList(rows, list))).toBe(COUNT);
  });

  it('after any piece of a file or of a JSON list', async () => {
    const megabytes = 4;
    const bytes = Buffer.alloc(megabytes * 2 ** 20, 'a');
    expect(await breaksIn(async () => await decodeCsvFile(bytes))).toBeGreaterThanOrEqual(
      megabytes * 4,
    );
    const json = JSON.stringify(contacts);
    const pieces = Math.floor(json.length / 1_000);
    const breaksInJson = await breaksIn(async () => await readJsonList(json, 1_000));
    expect(breaksInJson).toBeGreaterThan(pieces / 2);
  });

  it('after any contact while it is noted who is loaded, and looked up who was', async () => {
    expect(await breaksIn(async () => await noteOf(HEARD, contacts))).toBe(COUNT);
    const note = await noteOf(HEARD, contacts);
    let loaded: LoadedContacts | undefined;
    // Its contacts, and their people.
    expect(await breaksIn(async () => (loaded = await LoadedContacts.of([note])))).toBe(2 * COUNT);
    expect(await breaksIn(async () => await loaded?.part(contacts, HEARD))).toBe(COUNT);
  });
});
