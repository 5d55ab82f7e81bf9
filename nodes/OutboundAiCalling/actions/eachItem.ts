import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { UNTRIED } from '../callLog/table/rowColumns';
import {
  mistakesError,
  nodeError,
  NOBODY_CALLED,
  peopleCalled,
  type Called,
  type NamedItems,
  type NodeError,
} from '../nodeError';
import { CallingServiceError, mayHaveBeenProcessed } from '../service/failure';
import { pause } from '../http/pause';
import {
  isTool,
  memoryOf,
  openExecution,
  readCommonSettings,
  type OperationExecution,
} from './execution';
import { calledByAnyTry, calledEarlier, idsSentence } from './calledSentences';
import type { Remembered } from './memory/remembered';
import type { RequestIdentity } from './memory/request';
import { ItemParameters } from './itemParameters';
import { nameOfItem, subjectOf } from './itemSubject';
import { asNotCalled } from './notCalled';
import { NodeParameters } from './nodeParameters';

/** Everything that an operation works with for one item. */
export interface ItemExecution extends OperationExecution {
  itemIndex: number;
  /** Performs a request once, and knows whether an earlier try has done so. */
  remembered: Remembered;
  /** Notes an order id: errors and logs name it also when the item fails later. */
  notePlaced(orderId: number): void;
  noteStarted(campaignId: number): void;
  /** Call this when the item has failed: no other is begun, unless the node continues on error. */
  halt(): void;
}

export interface ReadItem<Request> {
  request: Request;
  remembered: Remembered;
}

/** The work of an operation on one item. */
export interface ItemWork<Request> {
  /** Reads and checks the parameters of an item; nothing is sent before all items are read. */
  read(parameters: ItemParameters): Request;
  /** Says which requests are the same, when a request must not be repeated. */
  identity?(request: Request, execution: OperationExecution): RequestIdentity;
  /** Whether performing items calls people: errors say whom this and earlier tries have called. */
  calls?: boolean;
  /** How errors begin when none of these failures, of so many items, has called anybody. */
  nobodyCalled?: (failures: unknown[], items: number) => Called;
  /** Checks how many requests there are, before anything is sent. */
  checkCount?(context: IExecuteFunctions, requests: number): void;
  /** Runs for all items before the first of them is performed. */
  beforehand?(execution: OperationExecution, items: Array<ReadItem<Request>>): Promise<void>;
  perform(request: Request, item: ItemExecution): Promise<IDataObject>;
  /**
   * Reports when all items are done.
   *
   * @param unread how many people were not called because their items could not be read
   */
  afterwards?(context: IExecuteFunctions, requests: Request[], unread: number): void;
}

/** The item was not begun, because another had failed. */
export class NotBegun extends CallingServiceError {
  constructor() {
    super('cancelled', UNTRIED, {
      advice: 'Another item failed before: nothing was sent for this one.',
      mayHaveBeenProcessed: false,
    });
  }
}

/** @throws NotBegun just before a request leaves, when another item has failed by then */
export async function unlessStopped(execution: Pick<OperationExecution, 'stop'>): Promise<void> {
  // Let a failure that is being handled right now stop this request too.
  await pause(0);
  throwIfStopped(execution);
}

/** As {@link unlessStopped}, but synchronous: nothing comes between this check and the request. */
export function throwIfStopped({ stop }: Pick<OperationExecution, 'stop'>): void {
  if (stop.signal.aborted) throw new NotBegun();
}

/** The progress of items that call somebody. */
class Progress {
  readonly placed = new Map<number, number>();
  readonly started: number[] = [];
  readonly failed: Array<{ itemIndex: number; failure: unknown }> = [];

  get placedOrderIds(): number[] {
    return [...this.placed.values()];
  }

  constructor(
    private readonly calls: boolean,
    private readonly nobodyCalled: NonNullable<ItemWork<unknown>['nobodyCalled']>,
  ) {}

  get maybePlacedItems(): number[] {
    if (!this.calls) return [];
    return this.failed
      .filter(
        ({ itemIndex, failure }) => mayHaveBeenProcessed(failure) && !this.placed.has(itemIndex),
      )
      .map(({ itemIndex }) => itemIndex);
  }

  /** The failure that stopped the others; never one that only says that its item was stopped. */
  get first() {
    return this.failed.find(({ failure }) => !isCancelled(failure)) ?? this.failed[0];
  }

  calledFor(itemIndex: number, failure: unknown): Called {
    const orderId = this.placed.get(itemIndex);
    if (orderId !== undefined) return `The customer was called (order ${orderId})`;
    return mayHaveBeenProcessed(failure)
      ? 'Somebody may have been called'
      : this.nobodyCalled([failure], 1);
  }

  get called(): Called {
    const campaigns = this.started.length;
    if (campaigns > 0)
      return `${campaigns} of the campaigns ${campaigns === 1 ? 'calls' : 'call'} people now`;
    return peopleCalled(this.placed.size, this.maybePlacedItems.length);
  }

  /**
   * Everything that was set off, as sentences. Where nobody is called, also which other items have failed.
   *
   * @param but an item to leave out: the error is about it
   * @param items adds their names, where people's names may stand
   */
  sentences(but?: number, items?: NamedItems): string {
    const maybe = this.maybePlacedItems
      .filter((item) => item !== but)
      .map((item) => {
        const name = items?.nameOf(item);
        return name === undefined ? item : `${item} (${name})`;
      });
    const isTold = !this.calls && but !== undefined;
    const failed = this.failed.filter(({ failure }) => isTold && !isCancelled(failure));
    const others = failed.map(({ itemIndex }) => itemIndex).filter((item) => item !== but);
    return [
      idsSentence('Campaigns that call people now:', this.started),
      idsSentence('Calls placed: call IDs at the service', this.placedOrderIds),
      idsSentence('Calls that may have been placed too: items', maybe),
      idsSentence(
        'Items that failed too:',
        others.sort((a, b) => a - b),
      ),
    ]
      .filter(Boolean)
      .join(' ');
  }
}

function isCancelled(failure: unknown): boolean {
  if (!(failure instanceof CallingServiceError)) return false;
  return failure.kind === 'cancelled' && !failure.mayHaveBeenProcessed;
}

/** The error of an execution that stopped: its first failure, and everything that was set off. */
function stoppedError(
  context: IExecuteFunctions,
  progress: Progress,
  called: Called,
  items: NamedItems,
) {
  const { first } = progress;
  const itemIndex = first?.itemIndex;
  const done = progress.sentences(itemIndex, items);
  const error = nodeError(context.getNode(), first?.failure, { itemIndex, items, called, done });
  const others = progress.maybePlacedItems.filter((item) => item !== itemIndex);
  // The text of an error names only a few of the calls.
  const { orderIds: placedOrderIds } = memoryOf(context).setOff;
  error.context.data = { placedOrderIds, maybePlacedItems: others };
  return error;
}

/**
 * Makes an operation out of its work on one item. It reads all items first, and reports all
 * mistakes together. Then it performs the items side by side, with as many requests at once as
 * "Concurrency" allows. After a failure it begins nothing more, and awaits the requests under way.
 *
 * With "continue on error" every item carries its own error instead, also when the failure concerns
 * all of them: n8n would pass the items on as if they had been done. Output follows the order of
 * the items.
 */
export function eachItem<Request>(work: ItemWork<Request>) {
  const { calls = false, nobodyCalled = () => NOBODY_CALLED } = work;
  return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> => {
    const node = context.getNode();
    const goOn = context.continueOnFail();
    // n8n sends an item there when "error" is its only field, and adds the fields of the input
    // item.
    const hasErrorOutput = node.onError === 'continueErrorOutput';
    const nodeParameters = new NodeParameters(context);
    const parametersOf = (item: number) => new ItemParameters(nodeParameters, item);
    const named: NamedItems = {
      count: context.getInputData().length,
      nameOf: (item) => nameOfItem(parametersOf(item)),
    };
    const progress = new Progress(calls, nobodyCalled);
    const calledOr = (items: number, failures: unknown[], byCalls: () => Called): Called =>
      calls ? byCalls() : calledByAnyTry(context, nobodyCalled(failures, items));
    const itemOf = (error: NodeError, item: number, begin: Called): INodeExecutionData => {
      const subject = hasErrorOutput ? {} : subjectOf(parametersOf(item));
      const json = { error: error.message, ...subject };
      if (begin === NOBODY_CALLED) asNotCalled(json);
      // From an item with the error itself, n8n takes the error's message alone: other fields would
      // be lost.
      const isWhole = !hasErrorOutput && Object.keys(subject).length === 0;
      return { json, ...(isWhole ? { error } : {}), pairedItem: { item } };
    };
    const errorItem = (failure: unknown, item: number, begin: Called): INodeExecutionData =>
      itemOf(nodeError(node, failure, { itemIndex: item, called: begin }), item, begin);

    const performAll = async (): Promise<INodeExecutionData[]> => {
      const common = parametersOf(0);
      const settings = readCommonSettings(context, common);
      const readings = context.getInputData().map((_, itemIndex) => {
        const parameters = parametersOf(itemIndex);
        const request = work.read(parameters);
        return { itemIndex, request, mistakes: [...parameters.mistakes, ...common.mistakes] };
      });
      const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
      const sound = readings.filter(({ mistakes }) => mistakes.length === 0);
      const requests = sound.map(({ request }) => request);
      work.checkCount?.(context, sound.length);
      if (faulty.length > 0 && !goOn) {
        const called = calledOr(readings.length, [], () => calledByAnyTry(context));
        throw mistakesError(node, faulty, called, named);
      }

      const execution = await openExecution(context, settings);
      const remembered = execution.memory.recall(
        sound.map(
          ({ request, itemIndex }) =>
            work.identity?.(request, execution) ?? { subject: itemIndex, content: '' },
        ),
      );
      const items = sound.map((reading, index) => ({
        ...reading,
        remembered: remembered[index] as Remembered,
      }));
      // When all calls of earlier tries belong to items of this one, items with mistakes are
      // others.
      const areOthers = isEverybodyKnown(execution, remembered);
      await work.beforehand?.(execution, items);

      const results = new Map<number, INodeExecutionData>();
      const byOthers = () => (areOthers ? NOBODY_CALLED : calledByAnyTry(context));
      const called = calledOr(1, [], byOthers);
      for (const reading of faulty) {
        const { itemIndex: item } = reading;
        results.set(item, itemOf(mistakesError(node, [reading], called), item, called));
      }
      const unread = called === NOBODY_CALLED ? faulty.length : 0;
      await Promise.all(
        items.map(async ({ itemIndex: item, request, remembered: known }) => {
          const itemExecution: ItemExecution = {
            ...execution,
            itemIndex: item,
            remembered: known,
            notePlaced: (orderId) => progress.placed.set(item, orderId),
            noteStarted: (campaignId) => progress.started.push(campaignId),
            halt: () => {
              if (!goOn) execution.stop.abort();
            },
          };
          await work.perform(request, itemExecution).then(
            (json) => results.set(item, { json, pairedItem: { item } }),
            (failure: unknown) => {
              progress.failed.push({ itemIndex: item, failure });
              // What an earlier try has done wrong says nothing about the items that it did not come to.
              if (!known.isTold) itemExecution.halt();
              const begin = calledOr(1, [failure], () => progress.calledFor(item, failure));
              results.set(item, errorItem(failure, item, begin));
            },
          );
        }),
      );

      work.afterwards?.(context, requests, unread);
      if (execution.cancelled.aborted) {
        const { placedOrderIds, maybePlacedItems } = progress;
        tellCancelled(context, progress.sentences(), { placedOrderIds, maybePlacedItems });
      }
      if (progress.failed.length > 0 && !goOn) {
        const failures = progress.failed.map(({ failure }) => failure);
        const byCalls = () => {
          const byAnyTry = calledByAnyTry(context, progress.called);
          return byAnyTry === NOBODY_CALLED ? nobodyCalled(failures, readings.length) : byAnyTry;
        };
        throw stoppedError(context, progress, calledOr(readings.length, failures, byCalls), named);
      }
      return readings.flatMap(({ itemIndex }) => results.get(itemIndex) ?? []);
    };

    return await performAll().catch((failure: unknown) => {
      if (progress.failed.length > 0) throw failure;
      // It failed before the first item was begun.
      const begun = progress.placed.size > 0 || progress.started.length > 0;
      const items = context.getInputData();
      const begin = calledOr(items.length, [], () =>
        begun ? progress.called : calledEarlier(context),
      );
      if (!goOn) {
        const error = nodeError(node, failure, { called: begin });
        error.context.data = { placedOrderIds: memoryOf(context).setOff.orderIds };
        throw error;
      }
      if (begin === NOBODY_CALLED) work.afterwards?.(context, [], items.length);
      return items.map((_, item) => errorItem(failure, item, begin));
    });
  };
}

function isEverybodyKnown(
  { context, memory }: OperationExecution,
  remembered: Remembered[],
): boolean {
  const { orderIds, maybePlaced, dialling, maybeDialling } = memory.setOff;
  const known = remembered.filter(({ isEarlier }) => isEarlier).length;
  const calls = orderIds.length + maybePlaced;
  return !isTool(context) && calls <= known && dialling.length + maybeDialling === 0;
}

/** Writes to n8n's own log: n8n throws away the output of a cancelled execution. */
export function tellCancelled(context: IExecuteFunctions, told: string, data: IDataObject): void {
  if (told === '') return;
  context.logger.warn(`"${context.getNode().name}" was cancelled. ${told}`, data);
}
