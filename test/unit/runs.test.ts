import type { PlacingRows } from '../../nodes/OutboundAiCalling/callLog/placing/placingRows';
import { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { runsOf, whereAre } from '../../nodes/OutboundAiCalling/callLog/placing/runs';

/** Calls of one list, marked together. Nothing asks for their rows here. */
function marked(count: number): RowToPlace[] {
  return Array.from({ length: count }, (_, index) => {
    const row = { id: index + 1, runAt: index + 1, createdAt: '', updatedAt: '' };
    const call = new RowToPlace({} as PlacingRows, 'list', row);
    return Object.assign(call, { state: 'placing', lockedBy: 'mark' });
  });
}

const runAts = (runs: RowToPlace[][]) => runs.map((run) => run.map(({ row }) => row.runAt));

it('changes neighbours together, also over a call whose row is gone', () => {
  const [first, second, third] = marked(3) as [RowToPlace, RowToPlace, RowToPlace];
  second.state = 'settled';
  expect(runAts(runsOf([first, third], [first, second, third]))).toEqual([[1, 3]]);
});

it('leaves out a call whose row stays, as its result could not be written', () => {
  const [first, second, third] = marked(3) as [RowToPlace, RowToPlace, RowToPlace];
  second.state = 'settled';
  second.noteFailure(new Error('n8n is away'));
  expect(runAts(runsOf([first, third], [first, second, third]))).toEqual([[1], [3]]);
});

describe('due rows', () => {
  const due = (...ids: number[]) =>
    ids.map((id) => {
      const row = { id, runAt: id, createdAt: '', updatedAt: '' };
      return new RowToPlace({} as PlacingRows, '', row);
    });
  const idsOf = (runs: RowToPlace[][]) => runs.map((run) => run.map(({ row }) => row.id));
  const leftAlone = (run: RowToPlace[]) =>
    whereAre(run).flatMap(({ columnName, condition, value }) =>
      columnName === 'id' && condition === 'neq' ? [value] : [],
    );

  it('are changed together without the rows between them', () => {
    const calls = due(3, 5, 8);
    expect(idsOf(runsOf(calls, calls))).toEqual([[3, 5, 8]]);
    expect(leftAlone(calls)).toEqual([4, 6, 7]);
    expect(leftAlone(due(3, 4, 5))).toEqual([]);
  });

  it('are changed apart when they lie so far apart that a request would name too many others', () => {
    const calls = due(1, 150, 250, 1_000_000_000, 1_000_000_001);
    expect(idsOf(runsOf(calls, calls))).toEqual([[1, 150], [250], [1_000_000_000, 1_000_000_001]]);
    for (const run of runsOf(calls, calls)) expect(leftAlone(run).length).toBeLessThan(201);
  });

  it('of a list that is written ahead have a batch of their own: nothing lies between them', () => {
    const [first, last] = due(1, 9).map((call) => Object.assign(call, { batch: 'list' }));
    expect(leftAlone([first, last] as RowToPlace[])).toEqual([]);
  });
});
