import { createHash } from 'node:crypto';
import { DataDeduplicationService } from 'n8n-core';
import type {
  DeduplicationItemTypes,
  ICheckProcessedContextData,
  ICheckProcessedOptions,
  IDataDeduplicator,
  IDeduplicationOutput,
} from 'n8n-workflow';

/** n8n keeps hashes, as this does. */
const hashOf = (key: DeduplicationItemTypes) => createHash('md5').update(`${key}`).digest('base64');

/**
 * What n8n's database keeps of processed keys, in memory: by workflow and node, hashed, and no more
 * than the node asks for.
 */
export class ProcessedKeys implements IDataDeduplicator {
  private readonly byPlace = new Map<string, Set<string>>();
  /** Whether n8n's database is away. */
  isAway = false;
  /** Whether the answers of n8n's database get lost, after what they are about was done. */
  isMute = false;
  /** Milliseconds until n8n's database answers. */
  latency = 0;

  /** Has all contexts of n8n-core in this process use one store. */
  static async install(): Promise<ProcessedKeys> {
    const keys = new ProcessedKeys();
    await DataDeduplicationService.init(keys);
    return keys;
  }

  /** How many keys all nodes have claimed. */
  get size(): number {
    return [...this.byPlace.values()].reduce((sum, { size }) => sum + size, 0);
  }

  clear(): void {
    this.byPlace.clear();
  }

  async checkProcessedAndRecord(
    items: DeduplicationItemTypes[],
    _scope: string,
    context: ICheckProcessedContextData,
    { maxEntries = Infinity }: ICheckProcessedOptions,
  ): Promise<IDeduplicationOutput> {
    const kept = await this.keysOf(context);
    const output: IDeduplicationOutput = { new: [], processed: [] };
    for (const item of items) {
      (kept.has(hashOf(item)) ? output.processed : output.new).push(item);
      kept.add(hashOf(item));
    }
    for (const oldest of kept) {
      if (kept.size <= maxEntries) break;
      kept.delete(oldest);
    }
    if (this.isMute) throw new Error('The answer of the database was lost');
    return output;
  }

  async removeProcessed(
    items: DeduplicationItemTypes[],
    _scope: string,
    context: ICheckProcessedContextData,
  ): Promise<void> {
    const kept = await this.keysOf(context);
    for (const item of items) kept.delete(hashOf(item));
  }

  async clearAllProcessedItems(): Promise<void> {
    this.clear();
  }

  async getProcessedDataCount(): Promise<number> {
    return this.size;
  }

  private async keysOf({ workflow, node }: ICheckProcessedContextData): Promise<Set<string>> {
    // A database answers later.
    await new Promise((resolve) =>
      this.latency > 0 ? setTimeout(resolve, this.latency) : setImmediate(resolve),
    );
    if (this.isAway) throw new Error('The database is away');
    const place = `${workflow.id} ${node?.id}`;
    const kept = this.byPlace.get(place) ?? new Set();
    this.byPlace.set(place, kept);
    return kept;
  }
}
