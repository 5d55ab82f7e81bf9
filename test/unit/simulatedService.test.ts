import { simulatedOutcome } from '../../nodes/OutboundAiCalling/service/simulatedOutcome';
import {
  isSimulatedId,
  simulatedService,
} from '../../nodes/OutboundAiCalling/service/simulatedService';

const phone = '+12025550101';

describe('the simulated service', () => {
  it('gives each call and campaign an id of its own, which no service gives', async () => {
    const request = { scriptId: 7, customerPhone: phone, variables: {} };
    const [item, round] = [simulatedService(), simulatedService()];
    const calls = [await item.triggerCall(request), await round.triggerCall(request)];
    const list = { scriptId: 7, contacts: [{ customerPhone: phone }] } as never;
    const campaign = await round.createCampaign(list);
    const common = { scriptId: 7, callStatus: 'in_progress' };
    expect(calls.map(({ result }) => result)).toMatchObject([common, common]);
    const ids = [...calls.map(({ result }) => result.orderId), campaign.result.campaignId];
    expect(ids.every(isSimulatedId)).toBe(true);
    expect([9_000_000_000, 10_000_000_000].some(isSimulatedId)).toBe(false);
    expect(new Set(ids).size).toBe(3);
  });

  it('creates campaigns with all contacts, and leaves them in the state of the action', async () => {
    const service = simulatedService();
    const contacts = [{ customerPhone: phone }];
    const { result } = await service.createCampaign({ scriptId: 7, contacts } as never);
    expect(result).toMatchObject({ contactCount: 1, state: 'not_started', started: false });
    const { campaignId } = result;
    const controlled = await service.controlCampaign(campaignId, 'start');
    expect(controlled.result).toMatchObject({ campaignId, state: 'running' });
    const [paused, resumed, stopped] = [
      await service.controlCampaign(campaignId, 'pause'),
      await service.controlCampaign(campaignId, 'resume'),
      await service.controlCampaign(campaignId, 'stop'),
    ].map((control) => control.result.state);
    expect([paused, resumed, stopped]).toEqual(['paused', 'running', 'stopped']);
  });

  it('ends a call with the outcome that was chosen, and says that nobody was called', () => {
    const { result } = simulatedOutcome('Not interested', { orderId: 9, orderNumber: 'A-1' });
    expect(result).toMatchObject({
      ...{ orderId: 9, orderNumber: 'A-1', callStatus: 'completed' },
      ...{ callOutcome: 'Not interested', summary: 'Simulated: nobody was called.' },
      transcriptText: 'Agent: Hello, this is a simulated call.\nCustomer: Hello.',
    });
    expect(simulatedOutcome('Busy', { orderId: 9 }).result).not.toHaveProperty('orderNumber');
  });
});
