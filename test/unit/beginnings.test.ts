import { beginningsOf } from '../../nodes/OutboundAiCalling/callLog/reading/beginnings';

const running = (count: number, from: number, step = 1) =>
  Array.from({ length: count }, (_, index) => `so-${from + index * step}`);
/** How many there are to search by. */
const searches = (numbers: string[]) => {
  const found = beginningsOf(numbers);
  return new Set(numbers.map((number) => found.get(number) ?? number)).size;
};

describe('beginningsOf', () => {
  it('leaves out two digits of numbers that run, where four others are left', () => {
    const found = beginningsOf(running(1_000, 104_000));
    expect(new Set(found.values())).toEqual(
      new Set(Array.from({ length: 10 }, (_, hundred) => `so-10${40 + hundred}`)),
    );
  });

  it('leaves out one digit of numbers with five', () => {
    expect(beginningsOf(['10234', '10236', '10239', '20000'])).toEqual(
      new Map(['10234', '10236', '10239'].map((number) => [number, '1023'])),
    );
  });

  it.each([
    ['numbers far from each other', running(200, 10_000, 13)],
    ['numbers with few digits', running(200, 1_000)],
    ['numbers that end in letters', running(200, 10_000).map((number) => `${number}-a`)],
    ['numbers without digits', ['', 'a', 'b', 'c']],
  ])('finds none for %s', (_, numbers) => {
    expect(beginningsOf(numbers)).toEqual(new Map());
  });

  it('has each number begin so, and few to search by where numbers run with gaps', () => {
    const numbers = running(1_000, 100_000, 3);
    for (const [number, beginning] of beginningsOf(numbers)) {
      expect(number.startsWith(beginning)).toBe(true);
      expect(number.length - beginning.length).toBeLessThanOrEqual(2);
    }
    expect(searches(numbers)).toBeLessThan(40);
  });
});
