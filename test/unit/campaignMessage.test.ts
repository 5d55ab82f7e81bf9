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
      { mayRun: false },
      'Created with 1 contact. Nobody is called before you start it with Campaign > Start.',
    ],
    [
      created(2, true, 'running'),
      { mayRun: false },
      'Created with 2 contacts and started: calling has begun.',
    ],
    [created(2, true, 'queued'), { mayRun: false }, 'Created with 2 contacts and started.'],
    [
      created(2, false, 'not_started'),
      { mayRun: false, reasonToWait: 'all channels are in use.' },
      'Created with 2 contacts, but not started: all channels are in use.',
    ],
    [
      created(2, false, 'not_started'),
      { mayRun: true },
      'Created with 2 contacts, and may be running: look for it in the dashboard of the calling service before you start it.',
    ],
    [
      { ...created(2, false, 'paused'), started: null },
      { mayRun: false, startedByItself: '. This node has paused it.' },
      'Created with 2 contacts, and perhaps started by the calling service itself. This node has paused it.',
    ],
  ])('%j, start %j: %s', (campaign, start, message) => {
    expect(createdMessage(campaign, start)).toBe(message);
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
