import type { IDataObject, IDeduplicationOutput } from 'n8n-workflow';

/** What n8n's database keeps for all processes, beside data tables. */
export class Database {
  private readonly processed = new Map<string, Set<string>>();
  private readonly staticData = new Map<string, IDataObject>();

  /** As `checkProcessedAndRecord`. */
  claim(place: string, items: unknown[], maxEntries = Infinity): IDeduplicationOutput {
    const keys = this.keysOf(place);
    const output: IDeduplicationOutput = { new: [], processed: [] };
    for (const item of items) {
      const key = String(item);
      (keys.has(key) ? output.processed : output.new).push(item as string);
      keys.add(key);
    }
    for (const oldest of keys) {
      if (keys.size <= maxEntries) break;
      keys.delete(oldest);
    }
    return output;
  }

  /** As `removeProcessed`. */
  release(place: string, items: unknown[]): void {
    const keys = this.keysOf(place);
    for (const item of items) keys.delete(String(item));
  }

  /** What is saved of a workflow's static data. */
  staticDataOf(workflow: string): IDataObject {
    return structuredClone(this.staticData.get(workflow) ?? {});
  }

  saveStaticData(workflow: string, data: IDataObject): void {
    this.staticData.set(workflow, structuredClone(data));
  }

  private keysOf(place: string): Set<string> {
    const keys = this.processed.get(place) ?? new Set();
    this.processed.set(place, keys);
    return keys;
  }
}
