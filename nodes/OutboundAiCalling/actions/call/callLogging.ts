import { NodeOperationError, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { callLogTable } from '../../trigger/fields';
import { CallLog, type LogEntry, type TableLocator } from '../../callLog/callLog';
import { CallLogFailure } from '../../callLog/callLogFailure';

/** The fields that choose whether calls are written into a data table. */
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
      { name: 'None', value: 'none', description: 'Keep no log' },
    ],
    description: 'Where to keep a list of the calls, for you and for the trigger',
  },
  { ...callLogTable, displayOptions: { show: { callLog: ['dataTable'] } } },
];

/** The row of one call. What cannot be written after the call is noted instead of thrown. */
export class LoggedCall {
  /** Why the row does not say what became of the call; undefined when it does. */
  problem: string | undefined;

  constructor(
    private readonly log: CallLog,
    private readonly entry: LogEntry,
  ) {}

  async write(change: (log: CallLog, entry: LogEntry) => Promise<void>): Promise<void> {
    const attempt = async () => await change(this.log, this.entry);
    // Without its order id a row can never fire, so a passing fault is worth a second try.
    await attempt()
      .catch(attempt)
      .catch((failure: unknown) => {
        this.problem = failure instanceof Error ? failure.message : String(failure);
      });
  }
}

/**
 * Writes the rows of all calls of an execution before any of them is placed.
 *
 * @returns the row of each call, in order; undefined when no log is kept
 * @throws NodeOperationError when the log cannot be written: nobody has been called
 */
export async function writeAhead(
  context: IExecuteFunctions,
  requests: CallRequest[],
): Promise<LoggedCall[] | undefined> {
  if (context.getNodeParameter('callLog', 0, 'none') !== 'dataTable' || requests.length === 0) {
    return undefined;
  }
  const locator = context.getNodeParameter('callLogTable', 0) as TableLocator;
  return await CallLog.open(context, locator)
    .then(async (log) => {
      const entries = await log.writeAhead(requests);
      return entries.map((entry) => new LoggedCall(log, entry));
    })
    .catch((failure: unknown) => {
      const { message, advice } =
        failure instanceof CallLogFailure
          ? failure
          : { message: 'The call log cannot be written', advice: 'Run the node again later.' };
      throw new NodeOperationError(context.getNode(), message, {
        description: `Nobody was called, because calls are logged first. ${advice}`,
      });
    });
}
