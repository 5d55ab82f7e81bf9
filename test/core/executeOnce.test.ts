import type { IDataObject } from 'n8n-workflow';
import { execute, type Execution } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();

const ITEMS = [1, 2, 3].map((id) => ({
  json: { phone: `+1202555010${id}`, order: `A-${id}`, id },
}));
const CALL = { scriptId: 7, customerPhone: '={{ $json.phone }}' };

async function executeOnce(operation: string, parameters: IDataObject): Promise<Execution> {
  const [resource, action] = operation.split('.');
  return await execute({
    parameters: {
      resource,
      operation: action,
      callLogTable: { mode: 'name', value: 'Once' },
      ...parameters,
    },
    credential: world.credential(),
    items: ITEMS,
    settings: { executeOnce: true, onError: 'continueRegularOutput' },
  });
}

describe('Execute Once', () => {
  it.each([
    ['call.trigger', CALL],
    ['call.schedule', { ...CALL, callAt: '' }],
    ['call.cancelScheduled', { cancelBy: 'orderNumber', cancelValue: '={{ $json.order }}' }],
    [
      'campaign.create',
      { scriptId: 7, contactsSource: 'csvText', csvText: '=phone_number\n{{ $json.phone }}' },
    ],
    ['campaign.pause', { campaignId: '={{ $json.id }}' }],
  ])('leaves out items of %s, and a hint says so', async (operation, parameters) => {
    expect(hintsOf(await executeOnce(operation, parameters))).toContain(
      '"Execute Once" leaves out 2 of 3 items: n8n takes the first alone. To work on all, turn it off in the settings of the node',
    );
  });

  it('leaves out nobody where an expression takes all items', async () => {
    const execution = await executeOnce('campaign.create', {
      ...{ scriptId: 7, contactsSource: 'json' },
      contactsJson:
        '={{ JSON.stringify($input.all().map(({ json }) => ({ phone: json.phone }))) }}',
    });
    expect(hintsOf(execution).join()).not.toContain('Execute Once');
    expect(world.service.seen.campaigns.at(-1)?.contacts).toHaveLength(3);
  });

  it('leaves out nobody where all items ask for the same', async () => {
    const { error, ...execution } = await executeOnce('call.trigger', {
      ...CALL,
      customerPhone: '+12025550104',
    });
    expect(error).toBeUndefined();
    expect(hintsOf({ error, ...execution }).join()).not.toContain('Execute Once');
  });
});
