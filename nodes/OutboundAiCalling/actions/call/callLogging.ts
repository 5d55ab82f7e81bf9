import { NodeOperationError, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { CallLog } from '../../callLog/callLog';
import { DataTableError } from '../../dataTables/dataTableError';
import { LoggedCalls } from '../../callLog/placing/loggedCalls';
import type { LoggedRequest } from '../../callLog/placing/loggedRequest';
import type { TableLocator } from '../../dataTables/findTable';
import { callLogTable } from '../../fields';
import { tellHint } from '../../hints';
import type { ReadItem } from '../itemWork';
import { isTool, type OperationExecution } from '../execution';
import { NodeParameters } from '../nodeParameters';
import type { JudgedCall } from './askedCall';
import { callIdOfAgent, newCallId } from './callIds';

export const callLogFields: INodeProperties[] = [
  {
    displayName: 'Call Log',
    name: 'callLog',
    type: 'options',
    noDataExpression: true,
    default: 'none',
    options: [
      {
        name: 'Data Table',
        value: 'dataTable',
        description: 'Write every call into a data table of n8n, before it is placed',
      },
      {
        name: 'None',
        value: 'none',
        description: 'Keep no log: only the output says what became of a call',
      },
    ],
    description: 'Where to keep a list of the calls, for you and for the trigger',
  },
  { ...callLogTable, displayOptions: { show: { callLog: ['dataTable'] } } },
];

const NAMES_TOLD = 5;

export function loggedRequest(call: JudgedCall): LoggedRequest {
  const { asked, request, isTestCall, duplicates, stored } = call;
  const phones = { inPlaceOf: asked.customerPhone, dialled: request.customerPhone };
  const test = isTestCall ? { testCall: true as const, ...phones } : {};
  const asks = duplicates?.isPrevented === true ? { asksForOthers: true as const } : {};
  return { ...request, ...test, duplicateKey: duplicates?.key, ...asks, ...stored };
}

/**
 * Opens the call log of one execution.
 *
 * @returns undefined when there is no log, or a dry run finds its table missing or incomplete
 * @throws NodeOperationError for an unknown value: the log must never be off by mistake
 * @throws DataTableError when the log cannot be used: nobody has been called
 */
export async function openCallLog(
  execution: OperationExecution,
  how: { isDryRun: boolean },
): Promise<CallLog | undefined> {
  const { context } = execution;
  const given = context.getNodeParameter('callLog', 0, 'none');
  if (given === 'none') return undefined;
  if (given === 'dataTable') return await openLogTable(execution, how);
  throw new NodeOperationError(context.getNode(), '"Call Log" has an unknown value', {
    description:
      'Choose "Data Table" or "None"; in the JSON of a workflow it is dataTable or none.',
  });
}

/** A log for each item would need caps, duplicates and a place for retries of its own. */
export async function refuseSeveralLogs(context: IExecuteFunctions): Promise<void> {
  const item = await new NodeParameters(context).differingItem('callLogTable');
  if (item === undefined) return;
  const message = `Call Log Table differs between the items: item ${item} does not have that of item 0`;
  throw new NodeOperationError(context.getNode(), message, {
    description:
      'All calls of an execution are written into one log. Keep one log for all, or run this node once for each log, e.g. in a loop.',
  });
}

/** As {@link openCallLog}, for operations that always have a log. */
export async function openLogTable(
  { context, account }: OperationExecution,
  { isDryRun, onlyFirst = false }: { isDryRun: boolean; onlyFirst?: boolean },
): Promise<CallLog | undefined> {
  await refuseSeveralLogs(context);
  const locator = context.getNodeParameter('callLogTable', 0) as TableLocator;
  const open = async () => {
    if (!isDryRun) return await CallLog.open(context, locator, account, { onlyFirst });
    const found = await CallLog.find(context, locator, account, { onlyFirst });
    // A dry run fails where a real execution would.
    await found?.tables.checkRights(found.tableId);
    return found;
  };
  const log = await open().catch((error: unknown) => {
    if (!(error instanceof DataTableError)) throw error;
    const advice = `Calls are logged before they are placed. ${error.advice}`;
    throw new DataTableError(error.kind, error.message, advice);
  });
  if (log?.isNew === true) await tellNew(context, log);
  if (log !== undefined) return log;
  const message =
    'The table of the call log is missing or incomplete; the first execution that calls creates it.';
  tellHint(context, message, 'info');
  return undefined;
}

/** Reports that the table was made, and names the other call logs: a person may have renamed one. */
async function tellNew(context: IExecuteFunctions, log: CallLog): Promise<void> {
  const made = `A new data table "${log.name}" was made for the call log.`;
  // A failure here does not stop calls.
  const others = await log.namesOfOthers().catch(() => []);
  const named = others.slice(0, NAMES_TOLD).map((name) => `"${name}"`);
  if (others.length > NAMES_TOLD) named.push('…');
  const advice = `Other call logs are there: ${named.join(', ')}. The calls in them do not count here, and what is scheduled in them is not placed from here. If you mean one of them, choose it from the list under "Call Log Table". What this execution schedules is in the new one.`;
  if (others.length === 0) tellHint(context, made, 'info');
  else tellHint(context, `${made} ${advice}`, 'warning');
}

/**
 * Writes the rows of all calls of an execution before it places any. A call that an earlier try has
 * placed keeps its row.
 *
 * @throws DataTableError when the log cannot be written: nobody has been called
 */
export async function writeAhead(
  log: CallLog,
  { context, concurrency, timeoutMs, memory }: OperationExecution,
  items: Array<ReadItem<JudgedCall>>,
): Promise<string> {
  // Of a call that is under way, nobody knows yet whether this try has to place it.
  const fresh = items.filter(({ remembered }) => !remembered.isEarlier || remembered.isUnderWay);
  const idOf = (call: JudgedCall) =>
    isTool(context) ? callIdOfAgent(memory, call) : { callId: newCallId(memory, call) };
  const newCalls = fresh.map(({ request }) => ({
    ...idOf(request),
    request: loggedRequest(request),
  }));
  const rows = await LoggedCalls.writeAhead(log, newCalls, { concurrency, requestMs: timeoutMs });
  const written = new Map(fresh.map(({ request }, index) => [request, rows.calls[index]]));
  for (const { request, remembered } of items) {
    // An earlier try may have had no log.
    const { callId = newCallId(memory, request) } = remembered.note;
    request.row =
      written.get(request) ?? rows.rowOfEarlierTry({ callId, request: loggedRequest(request) });
  }
  return rows.batch;
}

export function tellLogProblems(context: IExecuteFunctions, calls: JudgedCall[]): void {
  const problems = calls.flatMap(({ row }) => row?.problem ?? []);
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more like it)` : '';
  tellHint(context, first + others, 'warning');
}
