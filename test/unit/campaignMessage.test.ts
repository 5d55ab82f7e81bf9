import {
  controlMessage,
  createdMessage,
} from '../../nodes/OutboundAiCalling/actions/campaign/campaignMessage';

const created = (contactCount: number, started: boolean, state: string) => ({
  campaignId: 1,
  name: 'Orders',
  kind: 'cod',
  state,
  contactCount,
  started,
});

describe('what has become of a campaign that was created', () => {
  it.each([
    [
      created(1, false, 'not_started'),
      undefined,
      'Created with 1 contact. Nobody is called before you start it with Campaign > Start.',
    ],
    [
      created(2, true, 'running'),
      undefined,
      'Created with 2 contacts and started: calling has begun.',
    ],
    [created(2, true, 'queued'), undefined, 'Created with 2 contacts and started.'],
    [
      created(2, false, 'not_started'),
      { reason: 'all channels are in use.' },
      'Created with 2 contacts, but not started: all channels are in use.',
    ],
    [
      created(2, false, 'not_started'),
      'mayRun' as const,
      'Created with 2 contacts, and may be running: look for it in the dashboard of the calling service before you start it.',
    ],
  ])('%j, unstarted %j: %s', (campaign, unstarted, message) => {
    expect(createdMessage(campaign, unstarted)).toBe(message);
  });
});

it('a state that an action does not lead to is told as it is', () => {
  const control = { campaignId: 1, action: 'pause_campaign', state: 'pausing' };
  expect(controlMessage('pause', control)).toBe(
    'The calling service accepted the request to pause the campaign, and says that its state is pausing.',
  );
  expect(controlMessage('pause', { ...control, state: 'paused' })).toMatch(/^Paused: /);
  expect(controlMessage('pause', { ...control, state: 'completed' })).toBe(
    'The campaign has ended (completed): nobody else is called.',
  );
});
