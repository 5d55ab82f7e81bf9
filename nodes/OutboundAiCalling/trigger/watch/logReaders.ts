import type { IDataObject } from 'n8n-workflow';
import type { TriggerKey, WatchedCall } from './watch';

/** A trigger that was silent for so long no longer counts; polls are a day apart at most. */
const FORGOTTEN_AFTER_MS = 25 * 3_600_000;

/**
 * The triggers of this process that read one call log. A row is done with when all of them have
 * handed over its outcome: until then it stays due, and whoever has handed it over passes by.
 */
export class LogReaders {
  private static readonly byTable = new Map<string, LogReaders>();

  private readonly polledAt = new Map<TriggerKey, number>();
  private readonly handedOver = new Map<number, { by: Set<TriggerKey>; columns: IDataObject }>();
  private readonly unknown = new Map<number, NonNullable<WatchedCall['unknown']>>();

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  static of(tableId: string): LogReaders {
    const readers = this.byTable.get(tableId) ?? new LogReaders();
    this.byTable.set(tableId, readers);
    return readers;
  }

  /** @returns whether the trigger was known before */
  register(trigger: TriggerKey): boolean {
    const now = this.now();
    const isKnown = this.polledAt.has(trigger);
    this.polledAt.set(trigger, now);
    for (const [other, polledAt] of this.polledAt) {
      if (polledAt < now - FORGOTTEN_AFTER_MS) this.polledAt.delete(other);
    }
    return isKnown;
  }

  hasHandedOver(rowId: number, trigger: TriggerKey): boolean {
    return this.handedOver.get(rowId)?.by.has(trigger) ?? false;
  }

  /** @param columns what the row is to say */
  noteHandedOver(rowId: number, trigger: TriggerKey, columns: IDataObject): void {
    this.unknown.delete(rowId);
    const by = this.handedOver.get(rowId)?.by ?? new Set();
    this.handedOver.set(rowId, { by: by.add(trigger), columns });
  }

  /** What a row is to say that every trigger has handed over; undefined while one has not. */
  columnsWhenDone(rowId: number): IDataObject | undefined {
    const noted = this.handedOver.get(rowId);
    const isDone = [...this.polledAt.keys()].every((trigger) => noted?.by.has(trigger));
    return isDone ? noted?.columns : undefined;
  }

  /** The row itself says now that it is done with. */
  forget(rowId: number): void {
    this.handedOver.delete(rowId);
  }

  /** How often the service called an order unknown has no column of its own. */
  rememberUnknown(rowId: number, unknown: NonNullable<WatchedCall['unknown']>): void {
    this.unknown.set(rowId, unknown);
  }

  unknownOf(rowId: number): WatchedCall['unknown'] {
    return this.unknown.get(rowId);
  }
}
