import {
  NodeOperationError,
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeProperties,
} from 'n8n-workflow';
import {
  callLogTable,
  concurrency,
  firstCheckAfterSeconds,
  options,
  requestTimeoutSeconds,
  type NumberField,
} from '../../fields';
import { mistakesError, nodeError } from '../../nodeError';
import { notCalledHint } from '../../rules/notCalledHint';
import { commonSettings, isTool, memoryOf, openExecution, readCommonSettings } from '../execution';
import { ItemParameters } from '../itemParameters';
import { NodeParameters } from '../nodeParameters';
import { numberOption } from '../numberOption';
import type { Operation } from '../operation';
import { readCallLogTable } from '../callLog/callLogItem';
import { placeDue, type PlaceDueSettings } from './scheduled/placeDue';
import type { PlacingReport } from './scheduled/placingReport';

const MAX_IN_PROGRESS = { min: 1, max: 1_000, whole: true };
const KEEP_ON_SECONDS = { min: 0, max: 3_600 };
const FIRST_CHECK_SECONDS = { min: 0, max: 3_600 };

const maxInProgress: NumberField = {
  displayName: 'Max in Progress',
  name: 'maxInProgress',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 10,
  description:
    'How many calls of the account may go on at the same time, as counted in the call log. Calls of other workflows that are logged there count too.',
};

const keepOnSeconds: NumberField = {
  displayName: 'Keep On (Seconds)',
  name: 'keepOnSeconds',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 50,
  description:
    'How long to go on placing calls as soon as others have ended. A little less than the time between two executions leaves no channel idle. 0 places once what is due now.',
};

const fields: INodeProperties[] = [
  {
    displayName:
      'Run this by a Schedule Trigger, every minute. Execute step calls the customers whose scheduled calls are due now.',
    name: 'placeScheduledNotice',
    type: 'notice',
    default: '',
  },
  { ...callLogTable, hint: 'The table that Schedule Call writes to' },
  options(concurrency, firstCheckAfterSeconds, keepOnSeconds, maxInProgress, requestTimeoutSeconds),
];

/** What all calls have in common; the first item says it, for the calls are in the log. */
function readSettings(context: IExecuteFunctions, parameters: ItemParameters): PlaceDueSettings {
  const { timeoutMs } = readCommonSettings(context, parameters);
  return {
    table: readCallLogTable(parameters),
    maxInProgress: numberOption(parameters, maxInProgress, MAX_IN_PROGRESS),
    timeoutMs,
    keepOnMs: numberOption(parameters, keepOnSeconds, KEEP_ON_SECONDS) * 1000,
    firstCheckAfterMs: numberOption(parameters, firstCheckAfterSeconds, FIRST_CHECK_SECONDS) * 1000,
  };
}

function tell(context: IExecuteFunctions, message: string, type: 'info' | 'warning'): void {
  context.addExecutionHints({ message, location: 'outputPane', type });
}

function tellWhatWasNot(context: IExecuteFunctions, report: PlacingReport): void {
  const { objections, refused, placed } = report;
  const calls = placed.length + objections.length + refused.length;
  const timezone = context.getTimezone();
  const message = notCalledHint(objections, { calls, timezone });
  if (message !== undefined) tell(context, message, 'info');
  const [first] = refused;
  if (first === undefined) return;
  const several = refused.length === 1 ? '1 call was' : `${refused.length} calls were`;
  tell(context, `${several} refused by the calling service: ${first}`, 'warning');
}

/** The items of all calls that this execution has placed, in whatever try. */
function itemsOf(context: IExecuteFunctions, placed: IDataObject[]): INodeExecutionData[] {
  const { notes } = memoryOf(context);
  const earlier = (notes.placedItems ??= []);
  // What an agent asks for is no earlier try.
  if (isTool(context)) earlier.length = 0;
  earlier.push(...placed);
  return earlier.map((json) => ({ json, pairedItem: { item: 0 } }));
}

async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const node = context.getNode();
  const goesOn = context.continueOnFail();
  const fail = (error: NodeOperationError | Error, items: INodeExecutionData[] = []) => {
    if (!goesOn) throw error;
    const item = { json: { error: error.message }, error, pairedItem: { item: 0 } };
    return [...items, item as INodeExecutionData];
  };
  const parameters = new ItemParameters(new NodeParameters(context), 0);
  const settings = readSettings(context, parameters);
  const { mistakes } = parameters;
  if (mistakes.length > 0) {
    return fail(mistakesError(node, [{ itemIndex: 0, mistakes }], 'Nobody was called'));
  }
  const opened = await openExecution(context, commonSettings(context), { seesThrough: true })
    .then(async (execution) => await placeDue(execution, settings))
    .catch((failure: unknown) => ({ failure }));
  if ('failure' in opened) {
    return fail(nodeError(node, opened.failure, { called: 'Nobody was called' }));
  }
  if ('heldBy' in opened) {
    tell(
      context,
      `Nobody was called: the workflow "${opened.heldBy}" places the scheduled calls of this log now`,
      'info',
    );
    return itemsOf(context, []);
  }
  const { report } = opened;
  tellWhatWasNot(context, report);
  const items = itemsOf(context, report.placed);
  const { failures, called, done } = report;
  if (failures.length === 0) return items;
  const error = nodeError(node, failures[0], { called, done });
  error.context.data = { placedOrderIds: report.orderIds };
  return fail(error, items);
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
