import { Random } from './random';
import type { LoadedPackage, PackageText } from './package';
import type { World } from './world';

export interface ProcessOptions {
  name: string;
  /** How far its clock is ahead of the world's, in milliseconds. */
  skewMs: number;
  seed: number;
}

/** One process of n8n: it has modules, a clock and a fate of its own. */
export class N8nProcess {
  readonly name: string;
  readonly package: LoadedPackage;
  /** Its modules are for others from now on: nothing of it goes on any more. */
  readonly giveBack: () => void;
  isDead = false;
  /** When it went on after it had stood still. */
  readonly resumedAt: number[] = [];
  /** How far its clock is ahead of the world's, in milliseconds. */
  aheadMs: number;
  /** Undefined while it runs. */
  private waiting: Array<() => void> | undefined;

  constructor(
    private readonly world: World,
    text: PackageText,
    { name, skewMs, seed }: ProcessOptions,
  ) {
    this.name = name;
    this.aheadMs = skewMs;
    const random = new Random(seed, 2);
    const now = () => Math.round(world.now) + this.aheadMs;
    const hex = (digits: number) => {
      let text = '';
      while (text.length < digits) text += random.integer(0, 15).toString(16);
      return text;
    };
    const { loaded, giveBack } = text.load({
      now,
      passed: () => world.now,
      random: random.next,
      after: (ms, act) => this.after(ms, act),
      randomUUID: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      randomInt: (first, second) =>
        second === undefined ? random.integer(0, first - 1) : random.integer(first, second - 1),
    });
    this.package = loaded;
    this.giveBack = giveBack;
  }

  /** Has the process do something later: not when it is dead by then, and not before it is resumed. */
  after(ms: number, act: () => void): void {
    this.world.after(ms, () => this.when(act));
  }

  kill(): void {
    this.isDead = true;
    this.waiting = undefined;
  }

  get isPaused(): boolean {
    return this.waiting !== undefined;
  }

  pause(): void {
    this.waiting ??= [];
  }

  resume(): void {
    if (this.isPaused) this.resumedAt.push(this.world.now);
    const acts = this.waiting ?? [];
    this.waiting = undefined;
    for (const act of acts) this.after(0, act);
  }

  private when(act: () => void): void {
    if (this.isDead) return;
    if (this.waiting === undefined) act();
    else this.waiting.push(act);
  }
}
