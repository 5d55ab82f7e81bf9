import type { CallLog } from './callLog';
import { newIdPrefix, type LoggedRequest, type NewCall, type Placement } from './row';

/**
 * Writes calls into a log that are to be placed later: first a row for each that says that nobody came
 * to it, so that whatever is done for the calls meanwhile never has no row, then what became of it.
 */
export class Scheduling {
  private constructor(
    private readonly log: CallLog,
    private readonly idPrefix: string,
    /** In the order of the requests. */
    readonly calls: NewCall[],
  ) {}

  /**
   * Writes rows `not_placed` that say that the execution did not come to their calls.
   *
   * @throws CallLogError when they cannot be written
   */
  static async writeAhead(log: CallLog, requests: LoggedRequest[]): Promise<Scheduling> {
    const idPrefix = newIdPrefix();
    const calls = requests.map((request, index) => ({ callId: `${idPrefix}${index}`, request }));
    const scheduling = new Scheduling(log, idPrefix, calls);
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
   * @throws CallLogError when not all are written: then none of them is scheduled, unless n8n cannot be
   * reached at all
   */
  async settle(placements: Placement[]): Promise<void> {
    const { calls, log, idPrefix } = this;
    if (placements.length !== calls.length) throw new Error('Not every call has a placement');
    const placed = calls.flatMap((call, index) => {
      const placement = placements[index];
      return placement === undefined ? [] : [{ call, placement }];
    });
    await log.insertPlacements(placed).catch(async (error: unknown) => {
      await log.deleteScheduled(idPrefix).catch(() => {});
      throw error;
    });
    // A row that stays although it is replaced harms nobody: it goes when its call is placed.
    await log.deleteWrittenAhead(idPrefix).catch(() => {});
  }

  /** Nothing is to be done about any of the calls: their rows go. */
  async withdraw(): Promise<void> {
    await this.log.deleteUntried(this.idPrefix);
  }
}
