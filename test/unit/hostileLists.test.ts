import {
  contactReader,
  readRows,
  type RawContact,
} from '../../nodes/OutboundAiCalling/contacts/contact';
import { readJsonList } from '../../nodes/OutboundAiCalling/contacts/jsonList';
import { readWholeCsv } from '../wholeCsv';

const PHONE = '+12025550123';
const COLUMNS = 150_000;
const FEWER = 10;
/** What grows with the square of the columns takes a hundred times as long. */
const MOST_TIMES = 3 * FEWER;

/** A list as somebody may have written it who means harm. */
function contactsOf(rows: unknown[]) {
  return [...readRows(rows as RawContact[])].map(contactReader());
}

describe('a list that is meant to do harm', () => {
  it('with very many columns is read in proportion to their number', () => {
    const costOf = (columns: number) => {
      const names = Array.from({ length: columns }, (_, index) => index.toString(36));
      const cells = names.map(() => '1');
      const before = process.cpuUsage();
      const reading = readWholeCsv(`phone,${names.join()}\n${PHONE},${cells.join()}`);
      expect('rows' in reading ? reading.rows.length : reading.objection).toBe(1);
      return process.cpuUsage(before).user;
    };
    expect(costOf(COLUMNS)).toBeLessThan(MOST_TIMES * costOf(COLUMNS / FEWER));
  });

  it('with a row that is longer than any is refused', () => {
    expect(readWholeCsv(`phone,name\n${PHONE},${'x'.repeat(2_000_000)}`)).toEqual({
      objection: expect.stringContaining('Max Record Size'),
    });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'with a column %p changes no object but its own',
    async (name) => {
      const csv = readWholeCsv(`phone,${name}\n${PHONE},harm`);
      const json = await readJsonList(`[{"phone":"${PHONE}","${name}":{"harm":"harm"}}]`);
      const rows = [...('rows' in csv ? csv.rows : []), ...('list' in json ? json.list : [])];
      expect(rows).toHaveLength(2);
      for (const reading of contactsOf(rows)) {
        const { contact } = 'contact' in reading ? reading : { contact: {} };
        expect(Object.getPrototypeOf(contact)).toBe(Object.prototype);
      }
      expect(Object.hasOwn(Object.prototype, 'harm')).toBe(false);
      expect('harm' in {}).toBe(false);
    },
  );

  it.each([
    ['in a field', `[{"phone":"${PHONE}","note":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`],
    ['as a phone', `[{"phone":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`],
  ])('with 200,000 lists in each other %s is refused', async (_, text) => {
    const reading = await readJsonList(text);
    const rows = 'list' in reading ? reading.list : [];
    expect(contactsOf(rows)).toEqual([expect.objectContaining({ objection: expect.any(String) })]);
  });
});
