import type { BookedExecution } from '../books';
import type { Deed, DeedOf } from '../history';
import type { Stage } from '../stage';
import type { N8nProcess } from '../world/process';
import { wordsOf } from '../words';
import { Execution, type Kept } from './execution';
import { callAtOf, ordersOf } from './input';
import { settingsOf } from './parameters';

/** n8n starts what a process could not start so much later. */
const AGAIN_MS = 5_000;

/** What a retry says when nobody knows whom the execution has called. */
const UNKNOWN = /the call log has calls like these|Nothing is stored of what/;

/** What n8n has saved of an execution that was killed or stopped. */
const nothingOf = (askedAt: number, isExecuted = false): Kept => ({
  ...{ askedAt, round: 0, nodeContext: {}, isExecuted },
});

/** All executions of action nodes: those that have begun, and their books. */
export class Executions {
  readonly books: BookedExecution[] = [];
  private readonly running = new Set<Execution>();
  /** The last one of each step. */
  private readonly ofSteps = new Map<number, Execution>();

  constructor(private readonly stage: Stage) {
    stage.processes.onKill((process) => this.crash(process));
  }

  /** Whether none goes on. */
  get areOver(): boolean {
    return this.running.size === 0;
  }

  /**
   * Begins one.
   *
   * @param step the index of the step of the history; -1 when n8n begins it by itself
   * @param retried the one that failed and is retried
   * @param saved what n8n has saved of it
   */
  begin(step: number, deed: Deed, retried?: Execution, saved = retried?.kept): void {
    const { processes, world, history } = this.stage;
    const index = 'process' in deed ? processes.indexOf(deed.process) : 0;
    const process = processes.at(index);
    if (process.isDead || process.isPaused) {
      return world.after(AGAIN_MS, () => this.begin(step, deed, retried, saved));
    }
    const kept = structuredClone(saved ?? nothingOf(world.now));
    const orders = ordersOf(history, deed);
    const book: BookedExecution = {
      id: `E${this.books.length + 1}`,
      step,
      deed: deed.do as BookedExecution['deed'],
      process: index,
      key: deed.key,
      settings: settingsOf(history, deed),
      orders,
      callAt: callAtOf(history, deed, kept.askedAt),
      startedAt: world.now,
      endedAt: undefined,
      state: 'running',
      items: [],
      notCalled: [],
      error: undefined,
      toldAgent: [],
      placedByError: [],
      hints: [],
      tries: 0,
      retryOf: retried?.book.id,
      rowsBefore:
        deed.do === 'cancel'
          ? this.stage.log.rows().filter(({ order }) => orders.includes(order))
          : [],
    };
    this.books.push(book);
    const execution = new Execution(this.stage, { book, deed, process, kept });
    this.running.add(execution);
    this.ofSteps.set(step, execution);
    const retry = retried === undefined ? '' : ` (retry of ${retried.book.id})`;
    execution.tell(`begins: ${wordsOf(deed)}${retry}`);
    void execution.run().then((given) => {
      this.running.delete(execution);
      execution.end(given);
    });
  }

  /**
   * A person retries the execution of a step, when it has failed. One that has read that somebody may have been called
   * looks into the log first, and does not retry that.
   */
  retry(index: number, { step, process, leftNoTrace, isRebuilt }: DeedOf<'retry'>): void {
    const failed = this.ofSteps.get(step);
    if (failed === undefined) return;
    const { state, error = '' } = failed.book;
    const inLoop = isRebuilt === true ? { rounds: 2, isRepeated: true } : {};
    const deed = { ...failed.deed, process, ...inLoop } as Deed;
    if (state === 'error' && !UNKNOWN.test(error)) return this.begin(index, deed, failed);
    const isLogged = this.stage.history.settings.hasNoLog !== true && !('asks' in deed);
    if (!['crashed', 'cancelled'].includes(state) || !isLogged) return;
    const nothing = nothingOf(failed.kept.askedAt, leftNoTrace !== true);
    this.begin(index, deed, failed, nothing);
  }

  /** A person cancels the execution of a step, when it goes on. */
  cancel({ step }: DeedOf<'cancelExecution'>): void {
    const running = [...this.running].find(({ book }) => book.step === step);
    if (running === undefined) return;
    this.stage.teller.tell('a person', `cancels execution ${running.book.id}`);
    running.cancel();
  }

  private crash(process: N8nProcess): void {
    for (const execution of this.running) {
      if (execution.process !== process) continue;
      this.running.delete(execution);
      Object.assign(execution.book, { state: 'crashed', endedAt: this.stage.world.now });
    }
  }
}
