import type { CampaignAction } from '../../nodes/OutboundAiCalling/service/campaign';
import { startCallingService, type CallingService } from '../service';
import { campaignTo, clientOf, failureOf, PHONE } from './client';
import { stoppedClock } from './clock';

const phones = Array.from({ length: 8 }, (_, index) => `+1202555${1000 + index}`);

const pass = stoppedClock();
let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ channelPool: 4, concurrencyCap: 4 });
});
afterEach(async () => await service.close());

describe('creating a campaign', () => {
  it('sends the contacts in their primary form, and every field that was given', async () => {
    const contacts = [
      { customerPhone: PHONE, customerName: 'Zoë', orderNumber: 'A-1', size: 'XL' },
      { customerPhone: phones[0]!, orderNotes: 'Ring twice' },
    ];
    const { result, body } = await clientOf(service).createCampaign({
      scriptId: 21,
      contacts,
      name: 'May',
      kind: 'ndr',
      startImmediately: false,
      maxConcurrency: 2,
      variables: { brand_name: 'Acme' },
    });
    expect(result).toEqual({
      campaignId: service.seen.campaigns[0]?.campaignId,
      name: 'May',
      kind: 'ndr',
      state: 'not_started',
      contactCount: 2,
      started: false,
    });
    expect(body).toMatchObject({ success: true, action: 'create_campaign' });
    expect(service.seen.received[0]?.body).toEqual({
      scriptId: 21,
      contacts,
      name: 'May',
      kind: 'ndr',
      startImmediately: false,
      maxConcurrency: 2,
      brand_name: 'Acme',
    });
  });

  it('starts it when asked to, and every contact is called once', async () => {
    const { result } = await clientOf(service).createCampaign(
      campaignTo(phones, { startImmediately: true, maxConcurrency: 2 }),
    );
    expect(result).toMatchObject({ state: 'running', started: true });
    pass(1000);
    service.advance();
    expect([...service.seen.callsByPhone]).toEqual(phones.map((phone) => [phone, 1]));
  });

  it('takes 2,000 contacts', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => `+1202${5_550_000 + index}`);
    const { result } = await clientOf(service).createCampaign(campaignTo(many));
    expect(result.contactCount).toBe(2000);
  });
});

describe('controlling a campaign', () => {
  const newCampaign = async () =>
    (await clientOf(service).createCampaign(campaignTo(phones))).result.campaignId;

  it('starts, pauses, resumes and stops it', async () => {
    const client = clientOf(service);
    const campaignId = await newCampaign();
    const steps: Array<[CampaignAction, string]> = [
      ['start', 'running'],
      ['pause', 'paused'],
      ['resume', 'running'],
      ['stop', 'stopped'],
    ];
    for (const [action, state] of steps) {
      const { result } = await client.controlCampaign(campaignId, action);
      expect(result).toEqual({
        campaignId,
        action: `${action}_campaign`,
        state,
      });
      expect(service.seen.campaigns[0]?.state).toBe(state);
    }
  });

  it.each(['pause', 'resume', 'stop'] as const)(
    'to %s it before it was started is refused in the words of the service',
    async (action) => {
      const campaignId = await newCampaign();
      const failure = await failureOf(clientOf(service).controlCampaign(campaignId, action));
      expect(failure).toMatchObject({
        kind: 'wrongState',
        status: 400,
        mayHaveBeenProcessed: false,
        message: `The calling service refused: Cannot ${action} a campaign in state not_started`,
      });
    },
  );

  it.each([
    ['pause', 'paused'],
    ['stop', 'stopped'],
  ] as const)('to %s it is done also when the answer was lost', async (action, state) => {
    const client = clientOf(service);
    const campaignId = await newCampaign();
    await client.controlCampaign(campaignId, 'start');
    service.faults.add({ kind: 'reset', when: 'after', route: 'controlCampaign' });
    const { result } = await client.controlCampaign(campaignId, action);
    expect(result).toEqual({ campaignId, action: `${action}_campaign`, state });
    expect(service.seen.campaigns[0]?.state).toBe(state);
  });

  it('to stop it tells when the service does not know how', async () => {
    service.switches.stop = 'refused';
    const client = clientOf(service);
    const campaignId = await newCampaign();
    await client.controlCampaign(campaignId, 'start');
    expect(await failureOf(client.controlCampaign(campaignId, 'stop'))).toMatchObject({
      kind: 'stopRefused',
      status: 400,
      mayHaveBeenProcessed: false,
      advice: expect.stringMatching(/^Pause/) as string,
    });
  });

  it('tells when all channels are in use, and what to do', async () => {
    const client = clientOf(service);
    const [first, second] = [await newCampaign(), await newCampaign()];
    await client.controlCampaign(first, 'start');
    const exhausted = {
      kind: 'poolExhausted',
      status: 400,
      mayHaveBeenProcessed: false,
      advice: expect.stringMatching(/Pause or stop a running campaign/) as string,
    };
    expect(await failureOf(client.controlCampaign(second, 'start'))).toMatchObject(exhausted);
    expect(
      await failureOf(client.createCampaign(campaignTo(phones, { startImmediately: true }))),
    ).toMatchObject(exhausted);
    await client.controlCampaign(first, 'pause');
    await client.controlCampaign(second, 'start');
    expect(await failureOf(client.controlCampaign(first, 'resume'))).toMatchObject(exhausted);
  });
});

describe('campaigns on the unversioned paths', () => {
  it('are refused before anything is sent', async () => {
    const client = clientOf(service, { credential: { pathForm: 'unversioned' } });
    for (const promise of [
      client.createCampaign(campaignTo(phones)),
      client.controlCampaign(4001, 'start'),
    ]) {
      expect(await failureOf(promise)).toMatchObject({
        kind: 'needsVersionedPaths',
        mayHaveBeenProcessed: false,
      });
    }
    expect(service.seen.received).toEqual([]);
  });
});
