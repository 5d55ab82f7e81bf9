import { holds, type Condition } from '../../dataTables/dataTables';
import { groupBy } from '../../collections';
import { hasOrderId, notEnded, says } from '../states';
import type { RowToPlace } from './rowToPlace';

/** The ids between those of a run that one request names, to leave their rows alone. */
const MOST_BETWEEN = 200;

/**
 * Splits calls into runs. A run is rows with no other row of this execution in the same state between
 * them, and with few of others, so one request can change it.
 */
export function runsOf(calls: RowToPlace[], siblings: RowToPlace[]): RowToPlace[][] {
  const wanted = new Set(calls);
  // The row of a settled call is gone or changed, unless that could not be written.
  const hasRow = ({ state, failure }: RowToPlace) => state !== 'settled' || failure !== undefined;
  const all = [...new Set([...siblings, ...calls])].filter(hasRow);
  const laneOf = ({ state, batch, lockedBy, row }: RowToPlace) =>
    state === 'waiting' ? `waiting ${batch} ${hasOrderId(row)}` : lockedBy;
  const runs: RowToPlace[][] = [];
  for (const inLane of groupBy(all, laneOf).values()) {
    let run: RowToPlace[] | undefined;
    for (const call of inLane.sort((a, b) => positionOf(a) - positionOf(b))) {
      if (!wanted.has(call)) run = undefined;
      else if (run === undefined || isFar(run, call)) runs.push((run = [call]));
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

/** Whether rows are due: they lie anywhere in the log, with rows between them that this execution has not read. */
function areDue([first]: RowToPlace[]): boolean {
  return first?.state === 'waiting' && first.batch === '';
}

/** Whether too many ids lie between a run of due rows and the next one. */
function isFar(run: RowToPlace[], next: RowToPlace): boolean {
  const [first = next] = run;
  return areDue(run) && positionOf(next) - positionOf(first) - run.length > MOST_BETWEEN;
}

/** Conditions that hold for the rows of a run, and for no others, while they are as this execution knows them. */
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
  const isDue = areDue(run) ? [...stillDue(run), ...withoutOthers(positions)] : [];
  return [...notEnded('scheduled'), holds('batch', 'eq', batch), ...range, ...isDue];
}

function stillDue(run: RowToPlace[]): Condition[] {
  return [holds('runAt', 'lte', Math.max(...run.map(({ row }) => Number(row.runAt))))];
}

function withoutOthers(ids: number[]): Condition[] {
  const own = new Set(ids);
  const [least, most] = [Math.min(...ids), Math.max(...ids)];
  const between = Array.from({ length: most - least }, (_, index) => least + index);
  return between.filter((id) => !own.has(id)).map((id) => holds('id', 'neq', id));
}
