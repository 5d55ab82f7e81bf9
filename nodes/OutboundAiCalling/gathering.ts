import { sleep } from 'n8n-workflow';

/** Writes items together that arrive within a short time. Only one write runs at a time. */
export class Gathering<T> {
  private readonly waiting: Array<{ item: T; resolve(): void; reject(error: unknown): void }> = [];
  private isWriting = false;

  /** @param isAll returns whether no more items will come, so that the next write need not wait */
  constructor(
    private readonly write: (items: T[]) => Promise<void>,
    private readonly gatherMs: number,
    private readonly isAll = () => false,
  ) {}

  /** Resolves when the item is written; throws the error of its write. */
  async add(item: T): Promise<void> {
    const written = new Promise<void>((resolve, reject) =>
      this.waiting.push({ item, resolve, reject }),
    );
    if (!this.isWriting) void this.writeOn();
    await written;
  }

  private async writeOn(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      if (!this.isAll()) await sleep(this.gatherMs);
      const some = this.waiting.splice(0);
      await this.write(some.map(({ item }) => item)).then(
        () => some.forEach(({ resolve }) => resolve()),
        (error: unknown) => some.forEach(({ reject }) => reject(error)),
      );
    }
    this.isWriting = false;
  }
}
