import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** How long n8n's event loop stood still at most, in milliseconds. */
export interface LongestBlock {
  onClockMs: number;
  /** Of the processor's time, which other programs do not lengthen. */
  onProcessorMs: number;
}

/** The blocks of n8n's event loop, written down while it runs. */
export class Blocks {
  private constructor(private readonly file: string) {}

  /** For an n8n that is not started yet. */
  static async prepare(): Promise<Blocks> {
    return new Blocks(join(await mkdtemp(join(tmpdir(), 'outbound-blocks-')), 'blocks'));
  }

  /** The environment to start n8n with. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--require ${join(__dirname, 'blocks.cjs')}`,
      BLOCKS_FILE: this.file,
    };
  }

  async forget(): Promise<void> {
    await writeFile(this.file, '');
  }

  /** Since {@link forget}. */
  async longest(): Promise<LongestBlock> {
    const lines = (await readFile(this.file, 'utf8')).trim().split('\n');
    const longest: LongestBlock = { onClockMs: 0, onProcessorMs: 0 };
    for (const line of lines) {
      const [clock = 0, processor = 0] = line.split(' ').map(Number);
      longest.onClockMs = Math.max(longest.onClockMs, clock);
      // Other threads of the process may have had the processor meanwhile.
      longest.onProcessorMs = Math.max(longest.onProcessorMs, Math.min(clock, processor));
    }
    return longest;
  }

  async remove(): Promise<void> {
    await rm(dirname(this.file), { recursive: true, force: true });
  }
}
