import type { IDataObject } from 'n8n-workflow';
import {
  contradictionOf,
  otherContactCount,
  readCampaign,
  readCampaignControl,
  stateOf,
  type CampaignAction,
} from '../../nodes/OutboundAiCalling/service/campaign';
import { fulfils } from '../../nodes/OutboundAiCalling/service/campaignState';

describe('the state of a campaign', () => {
  it.each<[IDataObject, string | undefined]>([
    [{}, undefined],
    [{ state: null, status: ' ' }, undefined],
    [{ state: 'Not started' }, 'not_started'],
    [{ status: 'PAUSED' }, 'paused'],
    [{ state: 'archived' }, 'archived'],
    [{ state: 'paused', status: 'completed' }, 'paused'],
    [{ state: 'paused', status: 'Running' }, 'running'],
    [{ state: { name: 'paused' } }, 'unknown'],
    [{ state: { name: 'paused' }, status: 'stopped' }, 'unknown'],
    [{ state: ['paused'], status: 'running' }, 'running'],
    [{ status: { name: 'running' } }, 'unknown'],
    [{ state: 7 }, 'unknown'],
  ])('in %j is %p', (body, state) => expect(stateOf(body)).toBe(state));
});

describe('a campaign that was created', () => {
  const contacts = [{ customerPhone: '+12025550100' }];
  const read = (body: IDataObject, name?: string) =>
    readCampaign(body, 7, {
      ...{ kind: 'list' as const, contacts },
      ...(name === undefined ? {} : { name }),
    });

  it.each<[IDataObject, string, boolean | null]>([
    [{}, 'unknown', null],
    [{ message: 'Campaign created and is running' }, 'unknown', null],
    [{ campaign_state: 'running' }, 'unknown', null],
    [{ status: { name: 'running' } }, 'unknown', null],
    [{ state: 2 }, 'unknown', null],
    [{ state: 2, started: false }, 'unknown', null],
    [{ started: null }, 'unknown', null],
    [{ state: 'not_started' }, 'not_started', false],
    [{ state: 'not_started', started: false }, 'not_started', false],
    [{ started: true }, 'running', true],
    [{ started: false }, 'not_started', false],
    [{ started: 'yes' }, 'unknown', null],
    [{ state: 'running' }, 'running', true],
    [{ state: 'running', started: false }, 'running', true],
    [{ state: 'paused' }, 'not_started', false],
    [{ state: 'paused', started: true }, 'paused', true],
    [{ state: 'paused', started: 'no' }, 'paused', null],
    [{ state: 'not_started', started: null }, 'not_started', false],
    [{ state: 'completed' }, 'completed', null],
  ])('with the answer %j is %p', (body, state, started) => {
    expect(read(body)).toMatchObject({ state, started });
  });

  it('has what the answer says, and else what was asked for', () => {
    expect(read({ name: 'Orders', kind: 'cod' }, 'Asked')).toMatchObject({
      ...{ campaignId: 7, name: 'Orders', kind: 'cod', contactCount: 1 },
    });
    expect(read({ campaignName: 'Orders' }, 'Asked')).toMatchObject({ name: 'Orders' });
    expect(read({}, 'Asked')).toMatchObject({ name: 'Asked', kind: 'list' });
    expect(read({})).toMatchObject({ name: '' });
  });

  it.each<[IDataObject, string | undefined]>([
    [{}, undefined],
    [{ contact_count: null }, undefined],
    [{ contact_count: 2 }, undefined],
    [{ contactCount: '2' }, undefined],
    [{ contact_count: 1, contactCount: 2 }, '1'],
    [{ contactCount: 'many' }, 'many'],
    [{ contact_count: [2] }, '[2]'],
  ])('of 2 contacts, counted in %j, has another count: %p', (body, told) => {
    expect(otherContactCount(body, 2)).toBe(told);
  });
});

describe('a control request', () => {
  it('is read with the state and the action that the service gives, if it does', () => {
    const given = { action: 'halt', state: 'paused' };
    expect(readCampaignControl(given, 7, 'pause')).toEqual({ campaignId: 7, ...given });
    expect(readCampaignControl({}, 7, 'pause')).toEqual({
      ...{ campaignId: 7, action: 'pause_campaign', state: 'unknown' },
    });
  });

  it('to pause or stop is fulfilled when the campaign calls nobody', () => {
    const states = [undefined, 'running', 'paused', 'completed', 'stopped', 'archived'];
    const inStates = (action: 'pause' | 'stop' | 'start') =>
      states.filter((state) => fulfils(state, action));
    expect(inStates('pause')).toEqual(['paused', 'completed', 'stopped']);
    expect(inStates('stop')).toEqual(['completed', 'stopped']);
    expect(inStates('start')).toEqual([]);
  });

  it('is contradicted only by a state that excludes it', () => {
    const states = [
      ...['not_started', 'running', 'paused', 'completed', 'stopped', 'archived', 'pausing'],
      ...['Dialing', 'active', 'in progress', 'not paused', 'running (3 calls)', 'on hold'],
    ];
    const against = (action: CampaignAction) =>
      states.filter((state) => contradictionOf(readCampaignControl({ state }, 7, action), action));
    const calling = ['Dialing', 'active', 'in progress', 'not paused', 'running (3 calls)'];
    expect(against('start')).toEqual(['not_started', 'paused', 'stopped']);
    expect(against('resume')).toEqual(['not_started', 'paused', 'stopped']);
    expect(against('pause')).toEqual(['not_started', 'running', ...calling]);
    expect(against('stop')).toEqual(['not_started', 'running', 'paused', ...calling]);
  });

  it.each<[CampaignAction, IDataObject, string | undefined]>([
    ['pause', { action: 'resume_campaign' }, 'names the action resume_campaign'],
    ['pause', { action: 'start_campaign', state: 'paused' }, 'names the action start_campaign'],
    ['pause', { action: 'Campaign resumed' }, 'names the action Campaign resumed'],
    ['pause', { action: 'pause_campaign' }, undefined],
    ['pause', { action: 'campaign.paused' }, undefined],
    ['pause', { action: 'control' }, undefined],
    ['stop', { action: 'pause_campaign' }, 'names the action pause_campaign'],
    ['stop', { action: 'end_campaign' }, undefined],
    ['start', { action: 'create_campaign' }, 'names the action create_campaign'],
    ['start', { started: false }, 'says that its state is not_started'],
    ['resume', { started: false }, 'says that its state is not_started'],
    // "Campaign": `started` may tell of the creation.
    ['start', { started: false, state: 'running' }, undefined],
    ['pause', { started: false }, undefined],
    // Both may be about the request.
    ['pause', { status: 'accepted' }, undefined],
    ['stop', { status: 'processing' }, undefined],
    ['start', {}, undefined],
    ['pause', { state: 'paused', status: 'dialing' }, 'says that its state is dialing'],
  ])('to %s with the answer %j: %p', (action, body, contradiction) => {
    expect(contradictionOf(readCampaignControl(body, 7, action), action)).toBe(contradiction);
  });
});
