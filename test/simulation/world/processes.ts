import type { Books } from '../books';
import type { DeedOf, History } from '../history';
import { nameOf } from '../words';
import type { PackageText } from './package';
import { N8nProcess } from './process';
import type { Teller } from './teller';
import type { World } from './world';

/** n8n is back so long after it was killed. */
const DOWN_MS = 4_000;

export interface ProcessesOptions {
  text: PackageText;
  skews: History['skews'];
  world: World;
  teller: Teller;
}

/** n8n's processes, and what happens to each as a whole. */
export class Processes {
  /** One for each index, dead ones until they are started again. */
  readonly current: N8nProcess[] = [];
  /** Those that were killed too. */
  private readonly started: N8nProcess[] = [];
  private readonly kills: number[];
  private readonly whenKilled: Array<(process: N8nProcess) => void> = [];
  private readonly whenBack: Array<(process: N8nProcess) => void> = [];

  constructor(private readonly options: ProcessesOptions) {
    this.kills = options.skews.map(() => 0);
    options.skews.forEach((_, index) => this.start(index));
  }

  /** Which process stands for an index that a history names: it may have fewer. */
  indexOf(process: number): number {
    return process % this.current.length;
  }

  /** The process that a history names. */
  at(index: number): N8nProcess {
    const process = this.current[this.indexOf(index)];
    if (process === undefined) throw new Error('A history needs a process');
    return process;
  }

  /** Has something happen whenever a process was killed. */
  onKill(happens: (process: N8nProcess) => void): void {
    this.whenKilled.push(happens);
  }

  /** Has something happen whenever a process stands in the place of one that was killed. */
  onRestart(happens: (process: N8nProcess) => void): void {
    this.whenBack.push(happens);
  }

  /** Kills a process; it is started again soon. */
  kill(process: number): void {
    const index = this.indexOf(process);
    const killed = this.at(index);
    if (killed.isDead) return;
    killed.kill();
    this.kills[index] = (this.kills[index] ?? 0) + 1;
    this.options.teller.tell(killed.name, 'is killed');
    for (const happens of this.whenKilled) happens(killed);
    this.options.world.after(DOWN_MS, () => {
      const started = this.start(index);
      this.options.teller.tell(started.name, 'is started again');
      for (const happens of this.whenBack) happens(started);
    });
  }

  /** Has a process stand still for a while. */
  pause({ process: index, ms }: DeedOf<'pause'>): void {
    const process = this.at(index);
    process.pause();
    this.options.teller.tell(process.name, `stands still for ${ms / 1000} s`);
    this.options.world.after(ms, () => {
      process.resume();
      this.options.teller.tell(process.name, 'goes on');
    });
  }

  /** Sets the clock of a process. */
  setClock({ process: index, ms }: DeedOf<'setClock'>): void {
    const process = this.at(index);
    this.options.teller.tell('somebody', `sets the clock of ${process.name} by ${ms / 1000} s`);
    process.aheadMs += ms;
  }

  /** Their modules are for other histories from now on. */
  giveBack(): void {
    for (const process of this.started) process.giveBack();
  }

  /** What the books say of each. */
  get books(): Books['processes'] {
    return this.kills.map((kills, index) => ({
      kills,
      resumedAt: this.started
        .filter(({ name }) => name === nameOf(index))
        .flatMap(({ resumedAt }) => resumedAt),
    }));
  }

  private start(index: number): N8nProcess {
    const { text, skews, world } = this.options;
    const process = new N8nProcess(world, text, {
      name: nameOf(index),
      skewMs: this.current[index]?.aheadMs ?? skews[index] ?? 0,
      seed: world.random.integer(0, 2 ** 31),
    });
    this.started.push(process);
    this.current[index] = process;
    return process;
  }
}
