type Undo = () => Promise<void>;

/**
 * Ends what was started, last one first: at the end, after a failure, and on Ctrl-C. Each is ended
 * once, even when asked twice, and one that cannot be ended does not keep the others.
 */
export class Cleanup {
  private readonly undos: Undo[] = [];

  private running: Promise<void> | undefined;

  /** Notes how to end something that was just started. */
  add(undo: Undo): void {
    this.undos.push(undo);
  }

  async run(): Promise<void> {
    this.running ??= this.undoAll();
    await this.running;
  }

  private async undoAll(): Promise<void> {
    for (let undo = this.undos.pop(); undo; undo = this.undos.pop()) {
      try {
        await undo();
      } catch (error) {
        process.stderr.write(`Cleaning up: ${String(error)}\n`);
      }
    }
  }
}
