import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import type { BookedExecution } from '../books';
import { numbered, numberOf, otherNumberOf, type Asks, type Deed } from '../history';
import { executeContext } from '../n8n/executeContext';
import type { Stage } from '../stage';
import { itemsInWords } from '../words';
import { AbortControllerOfWorld } from '../world/abortSignals';
import type { N8nProcess } from '../world/process';
import { itemsOf } from './input';
import { nodeOf, parametersOf } from './parameters';

/** n8n waits so long before it tries a node again. */
const BETWEEN_TRIES_MS = 1_000;

/** What a retry goes on with. */
export interface Kept {
  /** When its input came. */
  askedAt: number;
  /** The round of its loop that goes on, or has failed. */
  round: number;
  nodeContext: IDataObject;
  /** Whether n8n has saved that the node was executed. */
  isExecuted: boolean;
}

export interface ExecutionOptions {
  book: BookedExecution;
  deed: Deed;
  process: N8nProcess;
  kept: Kept;
}

/** What the rounds of an execution give. */
interface Given {
  items: IDataObject[];
  notCalled: number[];
  error: string | undefined;
}

/** One run of the node in an execution. */
interface Run {
  round: number;
  orders: number[];
  /** How the number of an order is written. */
  write: typeof numberOf;
}

/** An execution of an action node: the rounds of its loop, the requests of an agent, n8n's tries. */
export class Execution {
  readonly book: BookedExecution;
  readonly deed: Deed;
  readonly process: N8nProcess;
  kept: Kept;
  private readonly cancelling = new AbortControllerOfWorld();

  constructor(
    private readonly stage: Stage,
    { book, deed, process, kept }: ExecutionOptions,
  ) {
    this.book = book;
    this.deed = deed;
    this.process = process;
    this.kept = kept;
  }

  /** All rounds of its loop, from the one that has failed. */
  async run(): Promise<Given> {
    const { deed, book, kept } = this;
    const { rounds } = this;
    const { isRepeated } = deed.do === 'call' ? deed : {};
    const { asks } = 'asks' in deed ? deed : {};
    if (asks !== undefined) return await this.runForAgent(asks);
    const size = isRepeated === true ? 0 : Math.ceil(book.orders.length / rounds);
    const given: Given = { items: [], notCalled: [], error: undefined };
    for (; kept.round < rounds; kept.round++) {
      const { round } = kept;
      const from = round * size;
      const orders = size === 0 ? book.orders : book.orders.slice(from, from + size);
      if (rounds > 1 && orders.length === 0) break;
      const { items, notCalled, error } = await this.runOnce({ round, orders, write: numberOf });
      given.items.push(...items);
      given.notCalled.push(...notCalled);
      if (error !== undefined) return { ...given, error };
    }
    return given;
  }

  /** Notes what it has given in the end. */
  end({ items, notCalled, error }: Given): void {
    const { book } = this;
    // n8n saves it now: what later tries in this process write does not reach it.
    this.kept = structuredClone({ ...this.kept, isExecuted: true });
    book.endedAt = this.stage.world.now;
    // n8n throws away what a cancelled execution gives.
    if (book.state === 'cancelled') return this.tell('has ended, cancelled');
    book.state = error === undefined ? 'success' : 'error';
    Object.assign(book, { items, notCalled, error });
    this.tell(error === undefined ? `gives ${itemsInWords(items)}` : `fails: ${error}`);
    for (const hint of book.hints) this.tell(`hints: ${hint}`);
  }

  /** A person cancels it: it may go on for a while. */
  cancel(): void {
    this.book.state = 'cancelled';
    this.cancelling.abort();
  }

  /** Notes what it does. */
  tell(what: string): void {
    this.stage.teller.tell(`${this.book.id} on ${this.process.name}`, what);
  }

  /** An agent asks for each call by itself, and goes on when one fails. */
  private async runForAgent({ times, apartMs, isWrittenOtherwise }: Asks): Promise<Given> {
    const { orders } = this.book;
    const asked = Array.from({ length: times }, (_, time) =>
      orders.map(async (order, index) => {
        await this.wait(time * apartMs);
        // n8n gives each request a run of its own.
        const round = time * orders.length + index;
        const write = isWrittenOtherwise === true && time % 2 === 1 ? otherNumberOf : numberOf;
        const given = await this.runOnce({ round, orders: [order], write });
        const { error = '', items } = given;
        const orderIds = items.map(({ orderId }) => Number(orderId));
        this.book.toldAgent.push({ order, at: this.stage.world.now, error, orderIds });
        return given;
      }),
    );
    const given = await Promise.all(asked.flat());
    return {
      items: given.flatMap(({ items }) => items),
      notCalled: [],
      error: given.flatMap(({ error }) => error ?? []).join(' / ') || undefined,
    };
  }

  /** One run of the node, with n8n's tries. */
  private async runOnce(run: Run): Promise<Given> {
    const { book, deed, process, cancelling } = this;
    const tries = 'tries' in deed ? (deed.tries ?? 1) : 1;
    const context = this.contextOf(run, tries);
    for (let left = tries; ; left--) {
      book.tries++;
      try {
        const branches = await process.package.action.execute?.call(context);
        const [called = [], apart = []] = branches as INodeExecutionData[][];
        const isOver = left <= 1 || cancelling.signal.aborted;
        if (!called[0]?.json.error || isOver) return this.givenBy(run.orders, called, apart);
        // As when the node fails, n8n tries again for the sake of the first item.
        this.tell('gives an error first, and is tried again');
      } catch (error) {
        const text = this.toldBy(error as Error);
        if (left <= 1 || cancelling.signal.aborted) {
          return { items: [], notCalled: [], error: text };
        }
        this.tell(`fails, and is tried again: ${text}`);
      }
      await this.wait(BETWEEN_TRIES_MS);
    }
  }

  private contextOf({ round, orders, write }: Run, tries: number): IExecuteFunctions {
    const { stage, book, deed } = this;
    const { history, database, network } = stage;
    const goOn = book.settings.continueOnFail === true;
    const settings: Partial<INode> = {
      ...(goOn ? { onError: 'continueRegularOutput' } : {}),
      ...(tries > 1 ? { retryOnFail: true, maxTries: tries } : {}),
    };
    const node = nodeOf(deed);
    const { inOwnWorkflows } = history.settings;
    const workflow = inOwnWorkflows === true ? `${node} ${book.step}` : node;
    return executeContext({
      ...stage.contextOf({ process: book.process, sender: book.id }, deed.key),
      workflow: { id: `workflow of ${workflow}`, name: node },
      node: {
        id: node,
        name: 'Outbound AI Calling',
        type: 'action',
        isTool: this.isTool,
        settings,
      },
      parameters: parametersOf(stage, deed),
      database,
      executionId: book.id,
      mode: deed.do === 'try' ? 'manual' : book.retryOf === undefined ? 'trigger' : 'retry',
      isExecuted: this.kept.isExecuted,
      items: itemsOf(history, deed, book, orders, write),
      nodeContext: this.kept.nodeContext,
      runIndex: round,
      isInLoop: this.rounds > 1,
      cancelled: this.cancelling.signal,
      hint: (message) => book.hints.push(message),
      waitForDatabase: async () => await this.wait(network.delay()),
    });
  }

  private get rounds(): number {
    return this.deed.do === 'call' ? (this.deed.rounds ?? 1) : 1;
  }

  private get isTool(): boolean {
    return 'asks' in this.deed && this.deed.asks !== undefined;
  }

  private givenBy(
    orders: number[],
    called: INodeExecutionData[],
    apart: INodeExecutionData[],
  ): Given {
    // An earlier try of the same execution may have called.
    const skipped = called.filter(
      ({ json }) => json.skipped === true && json.reason !== 'earlierTry',
    );
    const notCalled = [...skipped, ...apart].flatMap(({ pairedItem }) => {
      const { item } = pairedItem as { item: number };
      return orders[item] ?? [];
    });
    const items = [...called, ...apart].map(({ json }) => numbered(this.stage.history, json));
    return { items, notCalled, error: undefined };
  }

  /** What a person reads of an error; the books note the calls that it names as placed. */
  private toldBy(
    error: Error & { description?: string; context?: { data?: IDataObject } },
  ): string {
    const { book } = this;
    const placed = (error.context?.data?.placedOrderIds ?? []) as unknown[];
    book.placedByError = this.isTool ? [...book.placedByError, ...placed] : placed;
    return `${error.message}. ${error.description ?? ''}`;
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.process.after(ms, resolve));
  }
}
