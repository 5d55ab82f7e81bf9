import { DataTableError, type DataTableErrorKind } from '../dataTables/dataTableError';
import type { CallLog } from './callLog';
import { prefixOf, type NewCall, type Placement } from './row';

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
  private readonly idPrefixes: Set<string>;
  /** Whether calls may be scheduled although {@link settle} has failed. */
  isUnsure = false;

  private constructor(
    private readonly log: CallLog,
    private readonly calls: NewCall[],
  ) {
    this.idPrefixes = new Set(calls.map(({ callId }) => prefixOf(callId)));
  }

  /**
   * Writes rows `not_placed` that say that the execution did not come to their calls.
   *
   * @throws DataTableError when they cannot be written
   */
  static async writeAhead(log: CallLog, calls: NewCall[]): Promise<Scheduling> {
    const scheduling = new Scheduling(log, calls);
    if (calls.length === 0) return scheduling;
    await log.checkRights();
    await log.insertUntried(calls).catch(async (error: unknown) => {
      await scheduling.withdraw().catch(() => {});
      throw error;
    });
    return scheduling;
  }

  /**
   * Writes what became of every call: `scheduled`, or `not_placed` with a reason. Calls of one time are
   * due in their order.
   *
   * @param placements in the order of the calls
   * @throws DataTableError when not all are written: then none of them is scheduled, unless {@link isUnsure}
   */
  async settle(placements: Placement[]): Promise<void> {
    const { calls, log } = this;
    if (placements.length !== calls.length) throw new Error('Not every call has a placement');
    const placed = calls.flatMap((call, index) => {
      const placement = placements[index];
      return placement === undefined ? [] : [{ call, placement }];
    });
    await log.insertPlacements(placed).catch(async (error: unknown) => {
      this.isUnsure = !(error instanceof DataTableError) || MAY_HAVE_BEEN_WRITTEN.has(error.kind);
      for (const prefix of this.idPrefixes) {
        await log.deleteScheduled(prefix).catch(() => (this.isUnsure = true));
      }
      throw error;
    });
    // A row that stays although it is replaced harms nobody: it goes when its call is placed.
    for (const prefix of this.idPrefixes) await log.deleteWrittenAhead(prefix).catch(() => {});
  }

  /** Nothing is to be done about any of the calls: their rows go. */
  async withdraw(): Promise<void> {
    for (const prefix of this.idPrefixes) await this.log.deleteUntried(prefix);
  }
}
