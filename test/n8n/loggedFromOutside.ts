import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { newCalls, TEN_AT_ONCE } from '../newCalls';
import type { CallingService } from '../service';
import { openCallLog } from './callLogFromOutside';

let phones = 0;

/** Opens the log of that name for the calls of an API key, as the nodes do with that credential. */
export async function openLogOf(
  { baseUrl }: CallingService,
  n8nUrl: string,
  n8nApiKey: string,
  table: string,
  apiKey = 'test-key',
): Promise<CallLog> {
  const account = accountFingerprint({ baseUrl, apiKey });
  return await openCallLog(n8nUrl, n8nApiKey, { mode: 'name', value: table }, account);
}

/** Places calls to numbers that nobody else calls, as the action node does; gives their order ids. */
export async function placeLogged(
  log: CallLog,
  { baseUrl }: CallingService,
  count: number,
  apiKey = 'test-key',
): Promise<number[]> {
  const requests = Array.from({ length: count }, () => ({
    customerPhone: `+1202555${String(phones++).padStart(4, '0')}`,
    customerName: 'Ada',
    scriptId: 7,
    variables: {},
  }));
  const { calls } = await LoggedCalls.writeAhead(log, newCalls(requests), {
    ...TEN_AT_ONCE,
    concurrency: count,
  });
  const orderIds = await Promise.all(
    calls.map(async (row) => {
      await row.mark();
      const { scriptId, customerPhone } = row.row;
      const response = await fetch(`${baseUrl}/api/v1/calls/trigger`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({ scriptId, customerPhone }),
      });
      const { order_id: orderId } = (await response.json()) as { order_id: number };
      await row.writePlaced(orderId, Date.now());
      if (row.problem !== undefined) throw new Error(row.problem);
      return orderId;
    }),
  );
  return orderIds.sort((a, b) => a - b);
}
