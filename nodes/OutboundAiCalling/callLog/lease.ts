import type { IDataObject } from 'n8n-workflow';
import { holds, where, type Condition, type DataTables, type Row } from '../dataTables/dataTables';
import { pause } from '../http/pause';
import type { CallLog } from './callLog';
import { LEASE } from './columns';
import { drawnNumber } from './drawnNumber';
import { openBeside } from './places';
import { numberIn } from './row';

/** Free again so long after its holder was killed. */
const HELD_FOR_MS = 30_000;
const RENEWED_EVERY_MS = 8_000;
/** By then everybody sees the rows that others wrote at the same time. */
const VISIBLE_AFTER_MS = 500;

/**
 * The right of one execution, in whatever process, to place the scheduled calls of an account and log: a
 * row in the table beside the log. It bounds how many calls go on at once; that nobody is called twice does
 * not depend on it.
 */
export class Lease {
  private readonly number = drawnNumber();
  private readonly released = new AbortController();
  private heldUntil = 0;
  private renewing = Promise.resolve();

  private constructor(
    private readonly tables: DataTables,
    private readonly tableId: string,
    private readonly log: CallLog,
    /** The workflow's name, for people. */
    private readonly workflow: string,
  ) {}

  /**
   * Takes the lease and renews it until it is released.
   *
   * @returns `heldBy` names the workflow that holds it
   * @throws DataTableError when the table beside the log cannot be used
   */
  static async take(log: CallLog, workflow: string): Promise<Lease | { heldBy: string }> {
    const table = await openBeside(log.tables, log);
    const lease = new Lease(log.tables, table.id, log, workflow);
    const heldBy = await lease.begin();
    if (heldBy !== undefined) return { heldBy };
    void lease.keep();
    return lease;
  }

  /** Whether nobody else can have it: it was renewed in time, as far as this process knows. */
  get isHeld(): boolean {
    return !this.released.signal.aborted && Date.now() < this.heldUntil;
  }

  /** Lets others have it at once. */
  async release(): Promise<void> {
    this.released.abort();
    await this.renewing;
    this.heldUntil = 0;
    await this.change([holds('position', 'eq', this.number)], { since: 0 });
  }

  /** @returns the workflow that holds it, when somebody else does */
  private async begin(): Promise<string | undefined> {
    const now = Date.now();
    const rows = await this.rows();
    const held = this.holder(rows, now);
    if (held !== undefined) return String(held.workflow ?? '');
    const [first] = rows;
    if (first === undefined) return await this.beginFirst();
    const asRead = [holds('id', 'eq', first.id), holds('since', 'eq', numberIn(first.since))];
    await this.change(asRead, this.columnsAt(now));
    return await this.otherHolder();
  }

  /** Nobody has ever had it: of those who come at the same time the one whose row came first has it. */
  private async beginFirst(): Promise<string | undefined> {
    const columns = { ...this.columnsAt(Date.now()), trigger: LEASE, account: this.log.account };
    await this.tables.insert(this.tableId, [columns]);
    await pause(VISIBLE_AFTER_MS);
    const other = await this.otherHolder();
    if (other === undefined) return undefined;
    await this.tables.delete(this.tableId, this.where(holds('position', 'eq', this.number)));
    return other;
  }

  /** Looks who has it: the answer to an earlier try of the same change may have been lost. */
  private async otherHolder(): Promise<string | undefined> {
    const holder = this.holder(await this.rows(), Date.now());
    if (holder?.position === this.number) {
      this.heldUntil = Number(holder.since);
      return undefined;
    }
    return String(holder?.workflow ?? '');
  }

  private async keep(): Promise<void> {
    for (;;) {
      await pause(RENEWED_EVERY_MS, this.released.signal);
      if (this.released.signal.aborted) return;
      this.renewing = this.renew().catch(() => {});
      await this.renewing;
    }
  }

  private async renew(): Promise<void> {
    const now = Date.now();
    const renewed = await this.change([holds('position', 'eq', this.number)], this.columnsAt(now));
    // Whoever finds the row taken by another does not take it back.
    this.heldUntil = renewed.length > 0 ? now + HELD_FOR_MS : 0;
  }

  private columnsAt(now: number): IDataObject {
    const { workflow, number } = this;
    return { workflow, position: number, since: now + HELD_FOR_MS, polledAt: now };
  }

  private holder(rows: Row[], now: number): Row | undefined {
    return rows.find(({ since }) => {
      const until = numberIn(since) ?? 0;
      return until > now && until <= now + 2 * HELD_FOR_MS;
    });
  }

  private async rows(): Promise<Row[]> {
    return await this.tables.rows(this.tableId, this.where(), { sortBy: 'id:asc', limit: 100 });
  }

  private async change(conditions: Condition[], columns: IDataObject): Promise<Row[]> {
    return await this.tables.updateAndReturn(this.tableId, this.where(...conditions), columns);
  }

  private where(...conditions: Condition[]) {
    const ofLease = holds('trigger', 'eq', LEASE);
    return where(ofLease, holds('account', 'eq', this.log.account), ...conditions);
  }
}
