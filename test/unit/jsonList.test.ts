import { readJsonList } from '../../nodes/OutboundAiCalling/contacts/jsonList';
import { fc, runs } from '../generators';

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
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

  it('is read in slices of any length as JSON.parse reads it', async () => {
    const lists = fc
      .tuple(fc.array(fc.jsonValue()), fc.constantFrom(0, 1, undefined))
      .map(([list, indent]) => JSON.stringify(list, null, indent));
    const damaged = fc
      .tuple(lists, fc.nat(), fc.constantFrom('', ',', ']', '[', '"', '}', '\\', 'x', ' '))
      .map(([text, at, piece]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + (at % 2));
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(lists, damaged), fc.nat({ max: 20 }), async (text, length) => {
        const expected = parsed(text);
        const reading = await readJsonList(text, length);
        if (expected === undefined) expect(reading).toEqual({ objection: expect.any(String) });
        else expect(withoutLongNumbers(reading)).toEqual(withoutLongNumbers({ list: expected }));
      }),
      { numRuns: runs(2_000, 20_000) },
    );
  });
});
