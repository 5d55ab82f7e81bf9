import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/columns';
import type { DataTablesContext } from '../../nodes/OutboundAiCalling/dataTables/dataTables';

/** The API of an n8n with one call log, whose newest end was written at `newest`. */
function contextOf(state: { newest: number }): DataTablesContext {
  const answer = ({ url, method }: IHttpRequestOptions): IDataObject => {
    if (method === 'GET' && url.endsWith('/rows')) {
      return { data: [{ id: 1, runAt: state.newest }] };
    }
    return { data: [{ id: 'log', name: 'Calls', columns: LOG_COLUMNS }] } as unknown as IDataObject;
  };
  return {
    getCredentials: async () => await Promise.resolve({ n8nApiKey: 'key' }),
    getInstanceBaseUrl: () => 'http://localhost:5678',
    helpers: {
      httpRequestWithAuthentication: async (_type, request) =>
        await Promise.resolve({ statusCode: 200, headers: {}, body: answer(request) }),
    },
  };
}

describe('a call log', () => {
  it('writes ends after those that others whose clocks are ahead have written meanwhile', async () => {
    const state = { newest: Date.now() - 1000 };
    const locator = { mode: 'id', value: 'log' };
    const log = await CallLog.open(contextOf(state), locator, { account: 'a', create: false });
    expect(await log.timeOfEnds()).toBeGreaterThan(state.newest);
    state.newest = Date.now() + 600_000;
    expect(await log.timeOfEnds()).toBeGreaterThan(state.newest);
  });
});
