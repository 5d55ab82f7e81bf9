import { holds, type Condition } from '../../dataTables/dataTables';
import { groupBy } from '../../collections';
import { notEnded, says } from '../states';
import type { RowToPlace } from './rowToPlace';

/**
 * Splits calls into runs. A run is rows with no other row of this execution in the same state between
 * them, so one request can change it.
 */
export function runsOf(calls: RowToPlace[], siblings: RowToPlace[]): RowToPlace[][] {
  const wanted = new Set(calls);
  // The row of a settled call is gone or changed, unless that could not be written.
  const hasRow = ({ state, failure }: RowToPlace) => state !== 'settled' || failure !== undefined;
  const all = [...new Set([...siblings, ...calls])].filter(hasRow);
  const laneOf = ({ state, batch, lockedBy }: RowToPlace) =>
    state === 'waiting' ? `waiting ${batch}` : lockedBy;
  const runs: RowToPlace[][] = [];
  for (const inLane of groupBy(all, laneOf).values()) {
    let run: RowToPlace[] | undefined;
    for (const call of inLane.sort((a, b) => positionOf(a) - positionOf(b))) {
      if (!wanted.has(call)) run = undefined;
      else if (run === undefined) runs.push((run = [call]));
      else run.push(call);
    }
  }
  return runs;
}

export function batchOf([first]: RowToPlace[]): string {
  return first?.batch ?? '';
}

/** The column that distinguishes the rows of one batch, or of those that are due. */
export function positionColumn(batch: string): 'id' | 'runAt' {
  return batch === '' ? 'id' : 'runAt';
}

export function positionOf({ row, batch }: RowToPlace): number {
  return Number(row[positionColumn(batch)]);
}

/** Conditions that hold for the rows of a run while they are as this execution knows them. */
export function whereAre(run: RowToPlace[]): Condition[] {
  const batch = batchOf(run);
  const column = positionColumn(batch);
  const positions = run.map(positionOf);
  const range = [
    holds(column, 'gte', Math.min(...positions)),
    holds(column, 'lte', Math.max(...positions)),
  ];
  if (run[0]?.state !== 'waiting') {
    return [holds('lockedBy', 'eq', run[0]?.lockedBy ?? ''), says('placing'), ...range];
  }
  const latest = Math.max(...run.map(({ row }) => Number(row.runAt)));
  const isDue = batch === '' ? [holds('runAt', 'lte', latest)] : [];
  return [...notEnded('scheduled'), holds('batch', 'eq', batch), ...range, ...isDue];
}
