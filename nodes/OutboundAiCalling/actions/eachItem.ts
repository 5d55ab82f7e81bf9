import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
  mistakesError,
  nodeError,
  NOBODY_CALLED,
  type Called,
  type FaultyItem,
  type NamedItems,
  type NodeError,
} from '../nodeError';
import { inSlices } from '../eventLoopSlices';
import { isTool, openExecution, readCommonSettings, type OperationExecution } from './execution';
import { adviceToGoOn, calledByAnyTry, calledEarlier, orderIdsOf } from './calledSentences';
import { errorItem } from './errorItem';
import { tellItemsLeftOut } from './executeOnce';
import { refuseOnePhoneForAll, tellFieldsOfAllItems } from './fieldsOfAllItems';
import { ItemParameters } from './itemParameters';
import { nameOfItem, subjectOf } from './itemSubject';
import type { ItemExecution, ItemWork, ReadItem } from './itemWork';
import type { Remembered } from './memory/remembered';
import { NodeParameters } from './nodeParameters';
import { asNotCalled } from './notCalled';
import { Progress } from './progress';
import { tellCancelled } from './stopping';

interface Reading<Request> extends FaultyItem {
  request: Request;
}

interface Item<Request> extends ReadItem<Request> {
  itemIndex: number;
}

class ItemsRun<Request> {
  private readonly parameters: NodeParameters;
  private readonly progress: Progress;
  private readonly named: NamedItems;
  private readonly results = new Map<number, INodeExecutionData>();
  private readonly goesOn: boolean;

  constructor(
    private readonly context: IExecuteFunctions,
    private readonly work: ItemWork<Request>,
  ) {
    this.parameters = new NodeParameters(context);
    const { calls = false, nobodyCalled = () => NOBODY_CALLED } = work;
    this.progress = new Progress(calls, nobodyCalled);
    this.named = {
      count: context.getInputData().length,
      nameOf: (item) => nameOfItem(this.parametersOf(item)),
    };
    this.goesOn = context.continueOnFail();
  }

  async run(): Promise<INodeExecutionData[]> {
    return await this.runItems().catch((failure: unknown) => {
      if (this.progress.failed.length > 0) throw failure;
      return this.failedBeforehand(failure);
    });
  }

  private async runItems(): Promise<INodeExecutionData[]> {
    const { context, work, progress } = this;
    const common = this.parametersOf(0);
    const settings = readCommonSettings(context, common);
    const readings = await this.readAll(common);
    const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
    const sound = readings.filter(({ mistakes }) => mistakes.length === 0);
    work.checkCount?.(context, sound.length);
    if (faulty.length > 0 && !this.goesOn) {
      const called = this.calledOr(readings.length, [], () => calledByAnyTry(context));
      throw mistakesError(context.getNode(), faulty, called, this.named);
    }

    tellFieldsOfAllItems(this.parameters);
    tellItemsLeftOut(this.parameters);
    const execution = await openExecution(context, settings);
    const items = this.recall(execution, sound);
    // When all calls of earlier tries belong to items of this one, items with mistakes are others.
    const areOthers = areAllEarlier(execution, items);
    await work.beforehand?.(execution, items);
    const called = this.calledOr(1, [], () =>
      areOthers ? NOBODY_CALLED : calledByAnyTry(context),
    );
    this.refuse(faulty, called);
    await Promise.all(items.map(async (item) => await this.perform(execution, item)));

    const requests = items.map(({ request }) => request);
    const isFailing = progress.failed.length > 0 && !this.goesOn;
    const output = readings.flatMap(({ itemIndex }) => this.results.get(itemIndex) ?? []);
    await work.settle?.(execution, requests, isFailing ? undefined : output);
    work.afterwards?.(context, requests, called === NOBODY_CALLED ? faulty.length : 0);
    if (execution.cancelled.aborted) {
      const { placedOrderIds, maybePlacedItems } = progress;
      tellCancelled(context, progress.sentences(), { placedOrderIds, maybePlacedItems });
    }
    if (isFailing) throw this.stoppedError(readings.length);
    return output;
  }

  private parametersOf(item: number): ItemParameters {
    return new ItemParameters(this.parameters, item);
  }

  /** @param common has the mistakes in the settings of all items */
  private async readAll(common: ItemParameters): Promise<Array<Reading<Request>>> {
    const readings: Array<Reading<Request>> = [];
    await inSlices(this.context.getInputData(), (_, itemIndex) => {
      const parameters = this.parametersOf(itemIndex);
      const request = this.work.read(parameters);
      readings.push({ itemIndex, request, mistakes: parameters.mistakes });
    });
    refuseOnePhoneForAll(this.parameters, common);
    for (const { mistakes } of readings) mistakes.push(...common.mistakes);
    return readings;
  }

  private recall(
    execution: OperationExecution,
    sound: Array<Reading<Request>>,
  ): Array<Item<Request>> {
    const identities = sound.map(
      ({ request, itemIndex }) =>
        this.work.identity?.(request, execution) ?? { subject: itemIndex, content: '' },
    );
    const remembered = execution.memory.recall(identities);
    return sound.map(({ itemIndex, request }, index) => ({
      itemIndex,
      request,
      remembered: remembered[index] as Remembered,
    }));
  }

  private refuse(faulty: Array<Reading<Request>>, called: Called): void {
    for (const reading of faulty) {
      const error = mistakesError(this.context.getNode(), [reading], called);
      this.results.set(reading.itemIndex, this.errorItem(error, reading.itemIndex, called));
    }
  }

  private async perform(
    execution: OperationExecution,
    { itemIndex: item, request, remembered }: Item<Request>,
  ): Promise<void> {
    const { progress } = this;
    if (remembered.isTestCall) progress.testCalls.add(item);
    const itemExecution: ItemExecution = {
      ...execution,
      remembered,
      notePlaced: (orderId) => progress.placed.set(item, orderId),
      noteStarted: (campaignId) => progress.started.push(campaignId),
      halt: () => {
        if (!this.goesOn) execution.stop.abort();
      },
    };
    try {
      const json = await this.work.perform(request, itemExecution);
      this.results.set(item, { json, pairedItem: { item } });
    } catch (failure) {
      progress.failed.push({ itemIndex: item, failure, isRepeated: remembered.isEarlier });
      // What an earlier try has done wrong says nothing about the items that it did not come to.
      if (!remembered.isEarlier) itemExecution.halt();
      const called = this.calledOr(1, [failure], () => progress.calledFor(item, failure));
      this.results.set(item, this.failedItem(failure, item, called));
    }
  }

  /** How an error about this many items begins. */
  private calledOr(items: number, failures: unknown[], byCalls: () => Called): Called {
    if (this.progress.calls) return byCalls();
    return calledByAnyTry(this.context, this.progress.nobodyCalled(failures, items));
  }

  private failedItem(failure: unknown, item: number, called: Called): INodeExecutionData {
    const error = nodeError(this.context.getNode(), failure, { itemIndex: item, called });
    return this.errorItem(error, item, called);
  }

  private errorItem(error: NodeError, item: number, called: Called): INodeExecutionData {
    const subject = subjectOf(this.parametersOf(item));
    const output = errorItem(this.context, error, { item }, subject);
    if (called === NOBODY_CALLED) asNotCalled(output.json);
    return output;
  }

  /** The error of an execution that stopped: its first failure, and everything that was set off. */
  private stoppedError(count: number): NodeError {
    const { context, progress, named } = this;
    const failures = progress.failed.map(({ failure }) => failure);
    const called = this.calledOr(count, failures, () => {
      const byAnyTry = calledByAnyTry(context, progress.called);
      return byAnyTry === NOBODY_CALLED ? progress.nobodyCalled(failures, count) : byAnyTry;
    });
    const { first } = progress;
    const itemIndex = first?.itemIndex;
    const done = progress.sentences(itemIndex, named);
    const isOld = progress.failed.every(({ isRepeated }) => isRepeated);
    const advice = isOld ? adviceToGoOn(context, failures) : undefined;
    const details = { itemIndex, items: named, called, done, advice };
    const error = nodeError(context.getNode(), first?.failure, details);
    const others = progress.maybePlacedItems.filter((item) => item !== itemIndex);
    // The text of an error names only a few of the calls.
    error.context.data = { placedOrderIds: orderIdsOf(context), maybePlacedItems: others };
    return error;
  }

  private failedBeforehand(failure: unknown): INodeExecutionData[] {
    const { context, work, progress } = this;
    const items = context.getInputData();
    const called = this.calledOr(items.length, [], () => calledEarlier(context, progress.called));
    if (!this.goesOn) {
      const error = nodeError(context.getNode(), failure, { called });
      error.context.data = { placedOrderIds: orderIdsOf(context) };
      throw error;
    }
    if (called === NOBODY_CALLED) work.afterwards?.(context, [], items.length);
    return items.map((_, item) => this.failedItem(failure, item, called));
  }
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
  return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> =>
    await new ItemsRun(context, work).run();
}

function areAllEarlier(
  { context, memory }: OperationExecution,
  items: Array<ReadItem<unknown>>,
): boolean {
  const { orderIds, maybePlaced, dialling, maybeDialling } = memory.setOff;
  const earlier = items.filter(({ remembered }) => remembered.isEarlier).length;
  const calls = orderIds.length + maybePlaced;
  return !isTool(context) && calls <= earlier && dialling.length + maybeDialling === 0;
}
