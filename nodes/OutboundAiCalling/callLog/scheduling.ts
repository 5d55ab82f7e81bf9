import { DataTableError, type DataTableErrorKind } from '../dataTables/dataTableError';
import type { CallLog } from './callLog';
import { drawnId } from './drawnId';
import type { NewCall } from './loggedRequest';
import { untriedRow, type Placement } from './rowColumns';

/** An answer that did not come from n8n does not say what n8n has done, or does later. */
const MAY_HAVE_BEEN_WRITTEN = new Set<DataTableErrorKind>([
  'unreachable',
  'notN8n',
  'failing',
  'tooLong',
]);

/**
 * Writes calls into a log that are to be placed later: first a row for each that says that nobody came
 * to it, so that whatever is done for the calls meanwhile never has no row, then what became of it.
 */
export class Scheduling {
  /** Whether calls may be scheduled although {@link settle} has failed. */
  isUnsure = false;

  private constructor(
    private readonly log: CallLog,
    private readonly calls: NewCall[],
    private readonly batch: string,
  ) {}

  /**
   * Writes rows `not_placed` that say that the execution did not come to their calls.
   *
   * @param batch names the list, for later tries too
   * @throws DataTableError when they cannot be written
   */
  static async writeAhead(log: CallLog, calls: NewCall[], batch = drawnId()): Promise<Scheduling> {
    const scheduling = new Scheduling(log, calls, batch);
    if (calls.length === 0) return scheduling;
    await log.checkRights();
    const ahead = { now: Date.now(), batch, lockedBy: '' };
    const rows = calls.map((call) => untriedRow(call, log.account, ahead));
    await log.insertRows(rows).catch(async (error: unknown) => {
      await scheduling.withdraw().catch(() => {});
      throw error;
    });
    return scheduling;
  }

  /**
   * Writes what became of every call: `scheduled`, or `not_placed` with a reason. Calls of one time are
   * due in their order.
   *
   * @param placements in the order of the calls; undefined for a call that another row tells of
   * @throws DataTableError when not all are written: then none of them is scheduled, unless {@link isUnsure}
   */
  async settle(placements: Array<Placement | undefined>): Promise<void> {
    const { calls, log } = this;
    if (placements.length !== calls.length) throw new Error('Not every call has a placement');
    const placed = calls.flatMap((call, index) => {
      const placement = placements[index];
      return placement === undefined ? [] : [{ call, placement }];
    });
    await log.insertPlacements(placed, this.batch).catch(async (error: unknown) => {
      this.isUnsure = !(error instanceof DataTableError) || MAY_HAVE_BEEN_WRITTEN.has(error.kind);
      await log.deleteScheduled(this.batch).catch(() => (this.isUnsure = true));
      throw error;
    });
    // A row that stays although it is replaced harms nobody: it goes when its call is placed.
    await log.deleteWrittenAhead({ batch: this.batch }).catch(() => {});
  }

  /** Nothing is to be done about any of the calls: their rows go. */
  async withdraw(): Promise<void> {
    await this.log.deleteUntried(this.batch);
  }
}
