import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
} from 'n8n-workflow';
import { isoIn } from '../../clocks';
import {
  callLogTable,
  concurrency,
  firstCheckAfterSeconds,
  notice,
  options,
  requestTimeoutSeconds,
  type NumberField,
} from '../../fields';
import { tellHint } from '../../hints';
import {
  errorMessage,
  mistakesError,
  nodeError,
  peopleCalled,
  type CallsPlaced,
  type NodeError,
} from '../../nodeError';
import { notCalledHint } from '../../rules/notCalledHint';
import { callNotice, readTrial } from '../../rules/manualExecutions';
import { placeRules } from '../../rules/rules';
import { calledByAnyTry, idsSentence } from '../calledSentences';
import { tellCancelled } from '../stopping';
import { isTool, memoryOf, openExecution, readCommonSettings } from '../execution';
import { ItemParameters } from '../itemParameters';
import { NodeParameters } from '../nodeParameters';
import type { Operation } from '../operation';
import { readCallLogTable } from '../callLog/callLogItem';
import { placeDue, type PlaceDueSettings } from './scheduled/placeDue';
import { tryDue } from './scheduled/tryDue';
import type { PlacingReport } from './scheduled/placingReport';

const MAX_IN_PROGRESS = { min: 1, max: 1_000, whole: true };
const UP_TO_AN_HOUR = { min: 0, max: 3_600 };

const maxInProgress: NumberField = {
  displayName: 'Max in Progress',
  name: 'maxInProgress',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 10,
  description:
    'Places a call only while fewer calls of the account than these go on, as counted in the call log. Calls of other workflows that are logged there count too.',
};

const keepOnSeconds: NumberField = {
  displayName: 'Keep Placing For (Seconds)',
  name: 'keepOnSeconds',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 50,
  description:
    'Keeps placing calls for this long, so that a call that is due need not wait for the next execution. Choose a little less than the time between two executions. 0: only what is due now.',
};

const fields: INodeProperties[] = [
  notice(
    'placeScheduledNotice',
    'Run this by a Schedule Trigger, every minute. Hours, caps and lists are set where the calls are scheduled.',
  ),
  callNotice(
    'Execute step calls the customers whose scheduled calls are due now. To try it without calling anybody, use "Manual Executions" under "Rules".',
  ),
  { ...callLogTable, hint: 'The table into which the calls were scheduled' },
  placeRules,
  options(concurrency, firstCheckAfterSeconds, keepOnSeconds, maxInProgress, requestTimeoutSeconds),
];

function readSettings(parameters: ItemParameters): PlaceDueSettings {
  return {
    table: readCallLogTable(parameters),
    maxInProgress: parameters.numberOption(maxInProgress, MAX_IN_PROGRESS),
    keepOnMs: parameters.numberOption(keepOnSeconds, UP_TO_AN_HOUR) * 1000,
    firstCheckAfterMs: parameters.numberOption(firstCheckAfterSeconds, UP_TO_AN_HOUR) * 1000,
  };
}

function whyIdle(
  { waitsForChannels, isAnyOpen, nextDueAt }: PlacingReport,
  timezone: string,
): string {
  const isDue = nextDueAt !== undefined && nextDueAt <= Date.now();
  if (waitsForChannels) {
    return 'No call was placed: as many go on as "Max in Progress" allows. Calls that are due wait until one has ended.';
  }
  if (isDue && isAnyOpen) {
    return 'No call was placed: each that is due waits for another call to the same person, or became due at the end of this execution.';
  }
  if (isDue) return 'A call became due at the end of this execution: the next execution places it.';
  if (nextDueAt === undefined) return 'No call is due. None is scheduled.';
  const next = isoIn(nextDueAt, timezone).slice(0, 16).replace('T', ' ');
  return `No call is due. The next one is due ${next} (${timezone}).`;
}

function tellWhatWasNot(context: IExecuteFunctions, report: PlacingReport, isDryRun = false): void {
  const { objections, refused, placed, unreadable, waiting } = report;
  const calls = placed.length + objections.length + refused.length;
  const timezone = context.getTimezone();
  if (report.wasIdle) tellHint(context, whyIdle(report, timezone), 'info');
  for (const { sentence } of report.outOfReach) tellHint(context, sentence, 'warning');
  const message = notCalledHint(objections, { calls, timezone, isDryRun });
  if (message !== undefined) tellHint(context, message, 'info');
  const tell = ([first, ...more]: string[], what: string) => {
    if (first === undefined) return;
    const several = more.length === 0 ? '1 call was' : `${more.length + 1} calls were`;
    tellHint(context, `${several} ${what}: ${first}`, 'warning');
  };
  tell(refused, 'refused by the calling service');
  const ended = isDryRun ? 'would end' : 'ended';
  tell(unreadable, `due and ${ended}, because nobody could be called`);
  tell(waiting, 'due and not placed yet');
}

/** The items of calls that any try has placed and no output has returned yet. */
function itemsToGive(context: IExecuteFunctions): IDataObject[] {
  return (memoryOf(context).notes.placedItems ??= []);
}

/** No item of the input is its origin: a later node that asks for one would get the order of somebody else. */
const fromLog = (json: IDataObject): INodeExecutionData => ({ json, pairedItem: [] });

function output(context: IExecuteFunctions): INodeExecutionData[] {
  const toGive = itemsToGive(context);
  // An agent's next request is no retry and must not return these items again.
  const given = isTool(context) ? toGive.splice(0) : toGive;
  return given.map(fromLog);
}

/** Says for an error what all tries have done until now: its beginning and its end. */
function doneUntilNow(context: IExecuteFunctions) {
  const { customers, testCalls, orderIds, maybePlaced } = memoryOf(context).setOff;
  // An agent has the results of its other requests already.
  const toGive = new Set(itemsToGive(context).map(({ orderId }) => Number(orderId)));
  const notGiven = (some: number[]) =>
    isTool(context) ? some.filter((id) => toGive.has(id)) : some;
  const placed = (calls: CallsPlaced) => ({ ...calls, orderIds: notGiven(calls.orderIds) });
  const ids = notGiven(orderIds);
  const done = [
    idsSentence('Calls placed: call IDs at the service', ids),
    maybePlaced > 0 &&
      'Calls that may have been placed have the status maybe_placed in the call log.',
  ];
  return {
    called: calledByAnyTry(context, peopleCalled(placed(customers), placed(testCalls))),
    done: done.filter(Boolean).join(' '),
    orderIds: ids,
  };
}

async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const node = context.getNode();
  const goOn = context.continueOnFail();
  const fail = (error: NodeError): INodeExecutionData[] => {
    error.context.data = { placedOrderIds: doneUntilNow(context).orderIds };
    if (!goOn) throw error;
    const item = { ...fromLog({ error: error.message }), error };
    return [...output(context), item];
  };
  // The first item has the settings of all calls: the calls themselves are in the log.
  const parameters = new ItemParameters(new NodeParameters(context), 0);
  const common = readCommonSettings(context, parameters);
  const settings = readSettings(parameters);
  const how = readTrial(parameters);
  const { mistakes } = parameters;
  if (mistakes.length > 0) {
    const { called } = doneUntilNow(context);
    return fail(mistakesError(node, [{ itemIndex: 0, mistakes }], called));
  }
  const opened = await openExecution(context, common, { seesThrough: true })
    .then(async (execution) =>
      how === 'call'
        ? await placeDue(execution, settings)
        : await tryDue(execution, settings.maxInProgress, how),
    )
    .catch((failure: unknown) => ({ failure }));
  if ('failure' in opened) return fail(nodeError(node, opened.failure, doneUntilNow(context)));
  if ('heldBy' in opened) {
    const { called } = doneUntilNow(context);
    const holder = `the workflow ${opened.heldBy} already places the scheduled calls of this log`;
    tellHint(context, `${called}: ${holder}, at its own pace`, 'info');
    return output(context);
  }
  if ('tried' in opened) {
    tellWhatWasNot(context, opened.tried, true);
    for (const failure of opened.tried.failures) {
      tellHint(context, `Nobody would be called: ${errorMessage(failure)}`, 'warning');
    }
    return opened.items.map(fromLog);
  }
  const { placed, failures, heldUp } = opened.report;
  tellWhatWasNot(context, opened.report);
  itemsToGive(context).push(...placed);
  const { done, called, orderIds } = doneUntilNow(context);
  if (context.getExecutionCancelSignal()?.aborted === true) {
    tellCancelled(context, done, { placedOrderIds: orderIds });
  }
  if (failures.length > 0) {
    const [failure] = failures;
    return fail(nodeError(node, failure, { called, done }));
  }
  const [first] = heldUp;
  if (first === undefined) return output(context);
  const wait = `${heldUp.length === 1 ? '1 scheduled call waits' : `${heldUp.length} scheduled calls wait`} until this is solved.`;
  return fail(nodeError(node, first, { called, done: `${wait} ${done}`.trim() }));
}

export const placeScheduled: Operation = {
  option: {
    name: 'Place Scheduled Calls',
    value: 'placeScheduled',
    description:
      'Telephone the real people whose scheduled calls are due, a few at a time. Run it every minute.',
    action: 'Place scheduled calls',
  },
  fields,
  execute,
};
