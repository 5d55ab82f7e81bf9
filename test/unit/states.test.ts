import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import {
  attemptsOf,
  callStateOf,
  endCounts,
  showsNoCall,
  supersedes,
} from '../../nodes/OutboundAiCalling/callLog/states';
import { fc } from '../generators';

const FINISHED = '2026-11-21T12:00:00.000Z';
let made = 0;
const row = (status: string, more: Partial<Row> = {}): Row => ({
  id: ++made,
  callId: 'a',
  attempt: 1,
  batch: '',
  status,
  ...more,
});

/** From the row that counts least to the one that counts most. */
const byWeight = () => [
  row('not_placed', { batch: 'list' }),
  row('scheduled'),
  row('placing'),
  row('maybe_placed'),
  row('cancelled'),
  row('cancelled', { finishedAt: FINISHED }),
  row('maybe_placed', { finishedAt: FINISHED }),
  row('in_progress', { orderId: '4001' }),
  row('completed'),
  row('completed', { finishedAt: FINISHED }),
];

describe('of two rows of one attempt', () => {
  it('the one that tells more counts, in whatever order they were written', () => {
    for (const rows of [byWeight(), byWeight().reverse()]) {
      const weak = rows[0]?.status === 'not_placed' ? rows : rows.toReversed();
      weak.forEach((lower, index) => {
        for (const higher of weak.slice(index + 1)) {
          expect([supersedes(higher, lower), supersedes(lower, higher)]).toEqual([true, false]);
        }
      });
    }
  });

  it('one of a call that rang counts before one that says that nobody was called', () => {
    const notCalled = ['not_placed', 'cancelled'].map((status) =>
      row(status, { finishedAt: FINISHED }),
    );
    const rang = [
      row('in_progress', { orderId: '4001' }),
      row('completed', { finishedAt: FINISHED, orderId: '4001' }),
      row('given_up', { finishedAt: FINISHED, orderId: '4001' }),
    ];
    for (const one of rang) {
      expect(notCalled.map((other) => supersedes(one, other))).toEqual([true, true]);
    }
  });

  it('that tell as much, the one that the database has numbered first counts', () => {
    const first = row('completed', { finishedAt: FINISHED, outcome: 'No answer' });
    const second = row('completed', { finishedAt: FINISHED, outcome: 'Confirmed' });
    expect([supersedes(first, second), supersedes(second, first)]).toEqual([true, false]);
  });

  it('an end that is written counts before one that is only decided', () => {
    const decided = row('cancelled');
    const written = row('not_placed', { finishedAt: FINISHED });
    expect(supersedes(written, decided)).toBe(true);
  });

  it('exactly one supersedes the other', () => {
    const status = fc.constantFrom(
      'scheduled',
      'placing',
      'in_progress',
      'cancelled',
      'failed',
      'x',
    );
    const cells = fc.record({
      status,
      batch: fc.constantFrom('', 'list'),
      finishedAt: fc.constantFrom(null, FINISHED),
    });
    fc.assert(
      fc.property(cells, cells, (one, other) => {
        const [a, b] = [
          { id: 1, ...one },
          { id: 2, ...other },
        ];
        expect(supersedes(a, b)).toBe(!supersedes(b, a));
        expect(supersedes(a, a)).toBe(false);
      }),
    );
  });
});

describe('the rows of a call', () => {
  it('come to one row for each attempt', () => {
    const first = row('completed', { finishedAt: FINISHED });
    const late = row('completed', { finishedAt: FINISHED });
    const second = row('scheduled', { attempt: 2 });
    const attempts = attemptsOf([second, late, first, first]);
    expect([...attempts.values()]).toEqual([second, first]);
  });
});

it('the end of an attempt that rang counts, whatever a person has made of the attempt before', () => {
  const before = row('completed', { finishedAt: FINISHED, nextAttemptAt: null });
  const cells = { attempt: 2, finishedAt: FINISHED };
  const rang = row('completed', { ...cells, orderId: '4002' });
  const notPlaced = row('not_placed', cells);
  expect(endCounts(rang, attemptsOf([before, rang]))).toBe(true);
  expect(endCounts(notPlaced, attemptsOf([before, notPlaced]))).toBe(false);
});

it('a row that was written ahead is no end, and nobody was called', () => {
  const ahead = row('not_placed', { batch: 'list' });
  expect([callStateOf(ahead), showsNoCall(ahead)]).toEqual(['ahead', true]);
  expect(callStateOf(row('not_placed'))).toBe('notPlaced');
});
