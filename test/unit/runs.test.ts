import type { PlacingRows } from '../../nodes/OutboundAiCalling/callLog/placing/placingRows';
import { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { runsOf } from '../../nodes/OutboundAiCalling/callLog/placing/runs';

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
