import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import {
  attemptBefore,
  attemptCounts,
  attemptsOf,
  callKey,
  callStateOf,
  counts,
  endCounts,
  isDecided,
  isInDoubt,
  keyOfNext,
  mayHaveBeenCalled,
  ownStatusIn,
  saysCancelled,
  showsNoCall,
  supersedes,
  wasMade,
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
  for (const status of ['not_placed', 'scheduled']) {
    const ahead = row(status, { batch: 'list' });
    expect([callStateOf(ahead), showsNoCall(ahead)]).toEqual(['ahead', true]);
  }
  const states = ['not_placed', 'scheduled', 'placing'].map((status) => callStateOf(row(status)));
  expect(states).toEqual(['notPlaced', 'scheduled', 'placing']);
});

describe('a status that a person has written while the call goes on', () => {
  const ringing = { orderId: '4001', triggeredAt: FINISHED, runAt: 1, finishedAt: null };

  it.each([
    ...['scheduled', 'not_placed', 'cancelled', 'maybe_placed', ' Canceled ', 'CANCELLED'],
    ...['done', 'completed', ''],
  ])('does not end it: %p', (status) => expect(callStateOf(row(status, ringing))).toBe('open'));

  it.each([{ orderId: null }, { triggeredAt: null }, { runAt: null }])(
    'is believed when the row does not show a call that goes on: %j',
    (edit) => {
      const cells = { ...ringing, ...edit };
      const states = ['cancelled', 'not_placed'].map((status) => callStateOf(row(status, cells)));
      expect(states).toEqual(['cancelled', 'notPlaced']);
    },
  );

  it.each(['cancelled', 'not_placed', ' Canceled', ''])(
    'does not take back a call that has ended: %p',
    (status) =>
      expect(callStateOf(row(status, { ...ringing, finishedAt: FINISHED }))).toBe('ended'),
  );

  it('is left to a person when it means nothing, and the row does not show that the call goes on', () => {
    expect(callStateOf(row('done', { ...ringing, runAt: null }))).toBe('unknown');
  });

  it('says in any spelling that the call was cancelled, and in no other word', () => {
    const spellings = ['cancelled', 'Canceled', ' CANCELLED ', 'not cancelled', 'cancelled by us'];
    const said = spellings.map((status) => saysCancelled(row(status, ringing)));
    expect(said).toEqual([true, true, true, false, false]);
  });

  it('may have another spelling in a row without a call, and is the word of the service in others', () => {
    const said = (cells: object) =>
      ['Canceled', 'Scheduled ', 'NOT PLACED', 'Given-up'].map((one) =>
        ownStatusIn(row(one, cells)),
      );
    const ours = ['cancelled', 'scheduled', 'not_placed', 'given_up'];
    expect(said({})).toEqual(ours);
    const words: Array<string | undefined> = ours.map(() => undefined);
    expect(said({ finishedAt: FINISHED })).toEqual(ours);
    expect(said({ finishedAt: FINISHED, orderId: '4001' })).toEqual(words.with(1, 'scheduled'));
    expect(said({ orderId: '4001' })).toEqual(words.with(1, 'scheduled'));
  });
});

describe('a word of the service in status', () => {
  it.each<[string, Partial<Row>]>([
    ['an outcome', { outcome: 'Confirmed' }],
    ['a length', { durationSec: 12 }],
    ['a cost', { cost: 0.1 }],
    ['a summary', { summary: 'Yes' }],
    ['the time of the end', { finishedAt: FINISHED }],
  ])('ends a placed call with %s', (_, cells) => {
    expect(callStateOf(row('completed', { orderId: '4001', ...cells }))).toBe('ended');
  });

  it.each<[string, Row]>([
    ['says that the call goes on', row('Ringing', { orderId: '4001', outcome: 'Confirmed' })],
    ['comes without an outcome', row('completed', { orderId: '4001' })],
    ['stands in a row without a call', row('completed', { outcome: 'Confirmed' })],
    ['was emptied, of a call that has ended', row('', { finishedAt: FINISHED })],
  ])('means nothing when it %s', (_, one) => expect(callStateOf(one)).toBe('unknown'));

  it('is the end of an open call once the row has its time', () => {
    expect(callStateOf(row('in_progress', { finishedAt: FINISHED }))).toBe('ended');
  });
});

it('a row that says scheduled has not ended, whatever time a person has written into it', () => {
  const one = row('scheduled', { finishedAt: FINISHED });
  expect([callStateOf(one), endCounts(one, attemptsOf([one]))]).toEqual(['scheduled', false]);
});

it('an end that is decided is still to be written; one that is written, or goes on, is not', () => {
  const rows = [row('cancelled'), row('cancelled', { finishedAt: FINISHED }), row('placing')];
  expect(rows.map(isDecided)).toEqual([true, false, false]);
});

it.each<[string, Partial<Row>, [boolean, boolean, boolean]]>([
  ['scheduled', {}, [true, false, false]],
  ['placing', {}, [false, true, true]],
  ['maybe_placed', {}, [false, true, true]],
  ['in_progress', {}, [false, false, true]],
  ['no word of ours', {}, [true, false, true]],
  ['no word of ours', { orderId: '4001' }, [false, false, true]],
])('whether somebody was called, when a row says %s', (status, cells, expected) => {
  const one = row(status, cells);
  expect([showsNoCall(one), isInDoubt(one), mayHaveBeenCalled(one)]).toEqual(expected);
});

it('only a call that rang and is over was made', () => {
  const called = { orderId: '4001', outcome: 'Confirmed' };
  const rows = [row('completed', called), row('given_up', called), row('in_progress', called)];
  expect([...rows, row('not_placed')].map(wasMade)).toEqual([true, true, false, false]);
});

describe('the attempts at one call', () => {
  const cells = (attempt: unknown) => row('scheduled', { attempt: attempt as number });

  it('are told apart by their numbers, and one with a strange number by itself', () => {
    expect([1, 2, null, 1.5].map((one) => callKey(cells(one)))).toEqual([
      'a#1',
      'a#2',
      'a#1',
      'a#1.5',
    ]);
    expect([1, 2, null, 1.5, 0, -3].map((one) => keyOfNext(cells(one)))).toEqual([
      ...['a#2', 'a#3', 'a#2', 'a#2', 'a#2', 'a#2'],
    ]);
  });

  it('follow each other', () => {
    const [first, second, third] = [cells(1), cells(2), cells(3)];
    const attempts = attemptsOf([first, second, third]);
    const before = [first, second, third].map((one) => attemptBefore(one, attempts));
    expect(before).toEqual([undefined, first, second]);
    expect(attemptBefore(first, attemptsOf([cells(0), first]))).toBeUndefined();
  });

  it.each<[string, Row, Row, boolean]>([
    ['waits for the end before', row('in_progress'), cells(2), true],
    [
      'was planned',
      row('completed', { finishedAt: FINISHED, nextAttemptAt: FINISHED }),
      cells(2),
      true,
    ],
    ['was not planned', row('completed', { finishedAt: FINISHED }), cells(2), false],
    [
      'was ended while the one before went on',
      row('in_progress'),
      row('not_placed', { attempt: 2, finishedAt: FINISHED }),
      false,
    ],
  ])('count, or not, when the second %s', (_, first, second, expected) => {
    expect(attemptCounts(second, attemptsOf([first, second]))).toBe(expected);
  });

  it('count by one row each: the end that was written, not its copy', () => {
    const rows = [
      row('completed', { finishedAt: FINISHED }),
      row('completed', { finishedAt: FINISHED }),
    ];
    const attempts = attemptsOf(rows);
    expect(rows.map((one) => [counts(one, attempts), endCounts(one, attempts)])).toEqual([
      [true, true],
      [false, false],
    ]);
    const open = row('in_progress');
    expect(endCounts(open, attemptsOf([open]))).toBe(false);
  });
});
