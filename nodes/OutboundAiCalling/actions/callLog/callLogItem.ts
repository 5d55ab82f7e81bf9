import pLimit from 'p-limit';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { CallLog } from '../../callLog/callLog';
import { readTableLocator, type TableLocator } from '../../dataTables/findTable';
import { isRecord } from '../../http/json';
import { isEmpty } from '../../values';
import { eachItem } from '../eachItem';
import type { ItemExecution, ItemWork } from '../itemWork';
import { unlessStopped } from '../stopping';
import type { ItemParameters } from '../itemParameters';

/** Reads "Call Log Table"; a mistake is noted in `parameters`, and an empty locator returned. */
export function readCallLogTable(parameters: ItemParameters): TableLocator {
  const given = parameters.value('callLogTable');
  const locator = readTableLocator(given);
  if (locator !== undefined) return locator;
  const message = !isRecord(given) || isEmpty(given.value) ? 'is missing' : 'names no data table';
  parameters.refuse('Call Log Table', message, 'Choose the data table that calls are logged in.');
  return { mode: 'id', value: '' };
}

/** Makes an operation on the log of each item, one at a time: each may read its whole table. */
export function eachCallLog<Request extends { table: TableLocator }>(work: {
  read(parameters: ItemParameters): Request;
  nobodyCalled?: ItemWork<Request>['nobodyCalled'];
  perform(request: Request, log: CallLog, item: ItemExecution): Promise<IDataObject>;
}): (context: IExecuteFunctions) => Promise<INodeExecutionData[]> {
  return async (context) => {
    const oneAtATime = pLimit(1);
    const perform = async (request: Request, item: ItemExecution) =>
      await oneAtATime(async () => {
        await unlessStopped(item);
        const log = await CallLog.openExisting(context, request.table, item.account);
        return await work.perform(request, log, item);
      });
    return await eachItem({ ...work, perform })(context);
  };
}
