import type { Row } from '../dataTables/dataTables';
import type { CallLog } from './callLog';
import { calledAt, isOpen, isStillToCome } from './callState';
import { timeIn } from './cells';
import type { OwnStatus } from './states';
import { VISIBLE_WITHIN_MS } from './visibility';

/** From so many rows in a row on, one request that deletes a range of ids is quicker. */
const LARGE_RUN = 20;

/** What became of the rows that somebody wanted to be rid of. */
export interface Pruned {
  deleted: number;
  /** Rows of scheduled and open calls, which stay. */
  stillToCome: number;
  /** Rows whose outcomes stay until workflows have got them, by the name of the workflow. */
  waitedFor: Map<string, number>;
}

/** Why a row stays, for it would go otherwise. */
type Stays = 'stillToCome' | { workflow: string };

/** Rows between which no row of the account stays: they can be deleted as a range. */
interface Run {
  ids: number[];
  /** All of them were inserted long enough ago. */
  isSettled: boolean;
}

/** Deletes rows of a call log, page by page, and counts what it deletes and keeps. */
export class Pruning {
  readonly result: Pruned = { deleted: 0, stillToCome: 0, waitedFor: new Map() };
  private readonly stops = new Set<number>();

  /**
   * @param waitedForBy the workflow that still has to get the end of a row
   * @param isUnwanted whether a row is to go
   * @param giveUpAfterMs how long the outcomes of open calls are waited for
   */
  constructor(
    private readonly log: CallLog,
    private readonly waitedForBy: (row: Row, now: number) => string | undefined,
    private readonly isUnwanted: (row: Row) => boolean,
    private readonly now: number,
    private readonly giveUpAfterMs: number,
  ) {}

  /**
   * Deletes what is unwanted of some rows of the account, in the order of their ids.
   *
   * @param isWhole whether the account has no other rows with ids between these
   */
  async take(rows: Row[], { isWhole }: { isWhole: boolean }): Promise<void> {
    const few: number[] = [];
    await this.findStops(rows);
    for (const { ids, isSettled } of this.runsIn(rows)) {
      const [first = 0] = ids;
      if (!isWhole || !isSettled || ids.length < LARGE_RUN) {
        few.push(...ids);
        continue;
      }
      await this.log.deleteRange(first, ids.at(-1) ?? first);
      this.result.deleted += ids.length;
    }
    await this.log.deleteRows(few);
    this.result.deleted += few.length;
  }

  /**
   * Finds the rows that keep a call that goes on from being placed again. Without them its end would
   * have the next attempt made, though a person has cancelled it.
   */
  private async findStops(rows: Row[]): Promise<void> {
    const stops = rows.filter((row) => stopsAttempt(row) && this.isUnwanted(row));
    this.stops.clear();
    if (stops.length === 0) return;
    const goesOn = (row: Row) => this.isStillToCome(row);
    const open = new Set(
      (await this.log.rowsOfCalls(stops)).filter(goesOn).map(({ callId }) => callId),
    );
    for (const { id, callId } of stops) if (open.has(callId)) this.stops.add(id);
  }

  private runsIn(rows: Row[]): Run[] {
    const runs: Run[] = [];
    let run: Run | undefined;
    for (const row of rows) {
      const stays = this.isUnwanted(row) ? this.staysFor(row) : 'wanted';
      if (stays === undefined) {
        if (run === undefined) runs.push((run = { ids: [], isSettled: true }));
        run.ids.push(row.id);
        // A range spares open rows.
        run.isSettled &&=
          !isOpen(row) && (timeIn(row.createdAt) ?? this.now) < this.now - VISIBLE_WITHIN_MS;
        continue;
      }
      run = undefined;
      if (stays !== 'wanted') this.note(stays);
    }
    return runs;
  }

  private isStillToCome(row: Row): boolean {
    return isStillToCome(row, this.now, this.giveUpAfterMs);
  }

  private staysFor(row: Row): Stays | undefined {
    if (this.stops.has(row.id) || this.isStillToCome(row)) return 'stillToCome';
    const workflow = this.waitedForBy(row, this.now);
    return workflow === undefined ? undefined : { workflow };
  }

  private note(stays: Stays): void {
    const { result } = this;
    if (stays === 'stillToCome') result.stillToCome++;
    else result.waitedFor.set(stays.workflow, (result.waitedFor.get(stays.workflow) ?? 0) + 1);
  }
}

/** Whether a row stands where a further attempt at a call would. */
function stopsAttempt({ status, attempt }: Row): boolean {
  return status === ('cancelled' satisfies OwnStatus) && Number(attempt) > 1;
}

/** Whether a row tells of a call before a time, in milliseconds since 1970. */
export function isBefore(row: Row, time: number): boolean {
  const at = calledAt(row);
  return at !== undefined && at < time;
}
