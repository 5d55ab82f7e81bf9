import type { INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { sharedN8n, type SharedN8n } from '../../scripts/n8n';

/** n8n adds this operation to nodes itself. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';
const PACKAGE = 'n8n-nodes-outbound-ai-calling';

let n8n: SharedN8n;
let types: INodeTypeDescription[];
beforeAll(async () => {
  n8n = await sharedN8n();
  types = await n8n.client.nodeTypes();
});

/** What n8n's editor asks for when it shows the output of a node that has not run. */
async function schemaOf(path: string): Promise<unknown> {
  return await n8n.client.session.send('GET', `/schemas/${PACKAGE}.${path}.json`);
}

describe('n8n', () => {
  it('serves what every operation gives', async () => {
    const node = types.find(({ name }) => name === `${PACKAGE}.outboundAiCalling`);
    const lists = node?.properties.filter(({ name }) => name === 'operation') ?? [];
    const operations = lists.flatMap(({ displayOptions, options = [] }) =>
      (options as INodePropertyOptions[])
        .filter(({ value }) => value !== CUSTOM_API_CALL)
        .map(({ value }) => `${String(displayOptions?.show?.resource?.[0])}/${value}`),
    );
    expect(operations.length).toBeGreaterThanOrEqual(10);
    for (const operation of operations) {
      expect(await schemaOf(`outboundAiCalling/1.0.0/${operation}`)).toMatchObject({
        type: 'object',
        version: 1,
      });
    }
  });

  it('serves what the trigger gives', async () => {
    expect(await schemaOf('outboundAiCallingTrigger/1.0.0')).toMatchObject({
      type: 'object',
      properties: { event: { type: 'string' }, outcomeKey: { type: ['string', 'null'] } },
    });
  });
});
