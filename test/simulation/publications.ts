import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { Books } from './books';
import { numbered, type DeedOf, type TriggerOfHistory } from './history';
import { pollContext } from './n8n/pollContext';
import type { Stage } from './stage';
import type { N8nProcess } from './world/process';

/** So long n8n lets a poll last. */
const BUDGET_MS = 5 * 60_000;

interface Publication {
  index: number;
  settings: TriggerOfHistory;
  context: IPollFunctions;
}

/** The triggers that are published, and their polls. */
export class Publications {
  /** What the books say of triggers. */
  readonly books: Pick<Books, 'fired' | 'beganAt' | 'exchangedBefore'>;
  /** By the index of the trigger. */
  private readonly published: Publication[] = [];
  /** Those that go on. */
  private readonly polls = new Set<{ publication: Publication; process: N8nProcess }>();
  /** Triggers that are published later. */
  private awaited = 0;

  constructor(private readonly stage: Stage) {
    const { history, processes } = stage;
    this.books = { fired: [], beganAt: history.triggers.map(() => Infinity), exchangedBefore: [] };
    processes.onKill((killed) => {
      for (const poll of this.polls) if (poll.process === killed) this.polls.delete(poll);
    });
    processes.onRestart((process) => {
      for (const { index, settings } of this.of(process)) this.publish(index, settings);
    });
  }

  /** Whether no poll goes on. */
  get areIdle(): boolean {
    return this.polls.size === 0;
  }

  /** Whether a trigger is to be published that is not now. */
  get isAwaited(): boolean {
    return this.awaited > 0;
  }

  /** Whether a trigger of an account watches the log. */
  watchLogOf(key: 0 | 1 | undefined): boolean {
    return this.published.some(
      ({ settings }) => settings.watch !== 'instance' && settings.key === key,
    );
  }

  /** Publishes the triggers of the history, each at its time. */
  begin(): void {
    this.stage.history.triggers.forEach((settings, index) => {
      const { publishedAt } = settings;
      if (publishedAt === undefined) return this.publish(index, settings);
      this.publishAfter(publishedAt, { index, settings }, `publishes trigger ${index + 1}`);
    });
  }

  /** A person unpublishes a trigger for a while. */
  unpublish({ trigger, ms }: DeedOf<'unpublish'>): void {
    const publication = this.published[trigger];
    if (publication === undefined) return;
    this.stage.teller.tell('a person', `unpublishes trigger ${trigger + 1}`);
    delete this.published[trigger];
    this.publishAfter(ms, publication, `publishes trigger ${trigger + 1} again`);
  }

  /** Polls all triggers of a process, as n8n does by itself. */
  pollIn(index: number): void {
    const process = this.stage.processes.at(index);
    if (process.isDead || process.isPaused) return;
    for (const publication of this.of(process)) this.poll(publication);
  }

  /** Polls all triggers. */
  pollAll(): void {
    this.stage.processes.current.forEach((_, index) => this.pollIn(index));
  }

  private of(process: N8nProcess): Publication[] {
    const { processes } = this.stage;
    return this.published.filter(({ settings }) => processes.at(settings.process) === process);
  }

  private publishAfter(
    ms: number,
    { index, settings }: Pick<Publication, 'index' | 'settings'>,
    told: string,
  ): void {
    this.awaited++;
    this.stage.world.after(ms, () => {
      this.awaited--;
      this.stage.teller.tell('a person', told);
      this.publish(index, settings);
    });
  }

  private publish(index: number, settings: TriggerOfHistory): void {
    const { processes, database, log, network } = this.stage;
    const process = processes.at(settings.process);
    const workflow = { id: `workflow ${index}`, name: `Outcomes ${index + 1}` };
    const staticData = database.staticDataOf(workflow.id);
    const from = { process: processes.indexOf(settings.process), sender: nameOf(index) };
    const { finalOnly = false, fastChecks = false, watch = 'callLog' } = settings;
    const { events = ['outcomeAvailable', 'outcomeUnavailable'] } = settings;
    const context = pollContext({
      ...this.stage.contextOf(from, settings.key),
      workflow,
      node: { id: 'trigger', name: 'Outcome', type: 'trigger' },
      parameters: {
        events,
        watch,
        callLogTable: watch === 'callLog' ? log.choice : undefined,
        options: { fastChecks, finalOnly },
      },
      staticData,
      budgetMs: BUDGET_MS,
      emit: (items, done) => {
        for (const item of items) this.fire(index, item);
        database.saveStaticData(workflow.id, staticData);
        process.after(network.delay(), () => done?.resolve({} as never));
      },
    });
    const publication = { index, settings, context };
    this.published[index] = publication;
    process.after(0, () => this.poll(publication));
  }

  private fire(trigger: number, given: IDataObject): void {
    const { history, world, teller } = this.stage;
    const item = numbered(history, given);
    this.books.fired.push({ trigger, at: world.now, item });
    const { orderNumber, attempt, event, outcomeKey, endReason } = item;
    const what = `${String(event)} ${String(outcomeKey ?? endReason ?? '')}`;
    const which = `${String(orderNumber)}, attempt ${String(attempt ?? 1)}`;
    teller.tell(nameOf(trigger), `fires for ${which}: ${what}`);
  }

  private poll(publication: Publication): void {
    const { index, settings, context } = publication;
    const { world, processes, credential, teller } = this.stage;
    const { beganAt, exchangedBefore } = this.books;
    const process = processes.at(settings.process);
    // n8n's next poll gives nothing while one goes on.
    const isAlone = ![...this.polls].some((other) => other.publication === publication);
    const { keyInUse, exchanges } = credential;
    const poll = { publication, process };
    this.polls.add(poll);
    const succeeded = () => {
      this.polls.delete(poll);
      if (!isAlone) return;
      const isOtherKey = keyInUse === 1 && settings.key === undefined;
      // With a key that it has not met it begins anew.
      if (isOtherKey) exchangedBefore[index] ??= exchanges;
      else beganAt[index] = Math.min(beganAt[index] ?? Infinity, world.now);
    };
    const polled = process.package.trigger.poll?.call(context) ?? Promise.resolve(null);
    void polled.then(succeeded, (error: Error) => {
      this.polls.delete(poll);
      teller.tell(nameOf(index), `fails: ${error.message}`);
    });
  }
}

const nameOf = (trigger: number): string => `trigger ${trigger + 1}`;
