import { readJsonList } from '../../nodes/OutboundAiCalling/contacts/jsonList';
import { fc, runs } from '../generators';

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, one) => sum + countKeys(one), own);
}

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    const written = text.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?/g)?.filter((one) => one.endsWith(':'));
    const isWhole = Array.isArray(value) && countKeys(value) === (written?.length ?? 0);
    return isWhole ? value : undefined;
  } catch {
    return undefined;
  }
};

/** What long numbers are read as does not count here. */
const withoutLongNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one: unknown) =>
    typeof one === 'string' && /^-?\d{16,}$/.test(one) ? Number(one) : one,
  );

describe('a JSON list', () => {
  it.each([undefined, 5])('keeps all digits of long numbers (slices of %p)', async (length) => {
    const text = `[{"order":90071992547409931234,"minus":-9007199254740993},
      {"order":9007199254740991,"price":1.25,"far":12345678901234567.5,"large":1e30},
      {"text":"\\"90071992547409931234, \\\\","list":[90071992547409931234]}]`;
    expect(await readJsonList(text, length)).toEqual({
      list: [
        { order: '90071992547409931234', minus: '-9007199254740993' },
        { order: 9007199254740991, price: 1.25, far: Number('12345678901234567.5'), large: 1e30 },
        { text: '"90071992547409931234, \\', list: ['90071992547409931234'] },
      ],
    });
  });

  it.each([
    ['', 'is empty'],
    ['{"a":1}', 'is not a list'],
    ['[1', 'is not valid JSON'],
    ['[1,]', 'is not valid JSON'],
  ])('%p %s', async (text, objection) => {
    expect(await readJsonList(text)).toEqual({ objection: expect.stringContaining(objection) });
  });

  it.each([
    ['[{"a":1,"b":2},{"phone":"+12025550101","phone":"+12025550102"}]', 'phone'],
    ['[{"a":[{"phone":1},"phone"],"b":2}, {"more":{"phone":1,"phone":1}}]', 'phone'],
    ['[{"a":",","b":2},{"phone":1,"\\u0070hone":1}]', 'phone'],
    ['[{"a":{"b":1,"c":2}},{"a \\"b\\"":1,"x":"]}", "a \\"b\\"" :1}]', 'a "b"'],
  ])('%s is refused: JSON would keep only one of the values', async (text, key) => {
    for (const sliceLength of [undefined, 5]) {
      expect(await readJsonList(text, sliceLength)).toEqual({
        objection: `has the key "${key}" twice in row 2`,
      });
    }
  });

  it('is read in slices of any length as JSON.parse reads it', async () => {
    const lists = fc
      .tuple(fc.array(fc.jsonValue()), fc.constantFrom(0, 1, undefined))
      .map(([list, indent]) => JSON.stringify(list, null, indent));
    const pairs = fc.constantFrom('"x":1', '"y":{"x":2}', '"":"x"', '"z":[{"x":"y"},"x"]');
    const objects = fc.array(pairs, { maxLength: 4 }).map((found) => `{${found.join()}}`);
    const repeating = fc.array(objects).map((found) => `[${found.join()}]`);
    const damaged = fc
      .tuple(lists, fc.nat(), fc.constantFrom('', ',', ']', '[', '"', '}', '\\', 'x', ' '))
      .map(([text, at, piece]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + (at % 2));
      });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(lists, repeating, damaged),
        fc.nat({ max: 20 }),
        async (text, length) => {
          const expected = parsed(text);
          const reading = await readJsonList(text, length);
          if (expected === undefined) expect(reading).toEqual({ objection: expect.any(String) });
          else expect(withoutLongNumbers(reading)).toEqual(withoutLongNumbers({ list: expected }));
        },
      ),
      { numRuns: runs(2_000, 5_000) },
    );
  });
});
