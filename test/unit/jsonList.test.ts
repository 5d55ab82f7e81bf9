import fc from 'fast-check';
import { readJsonList } from '../../nodes/OutboundAiCalling/contacts/jsonList';
import { runs } from '../generators';

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

describe('a JSON list', () => {
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
        expect(await readJsonList(text, length)).toEqual(
          expected === undefined ? { objection: expect.any(String) } : { list: expected },
        );
      }),
      { numRuns: runs(2_000, 20_000) },
    );
  });
});
