import type { CampaignAction } from '../../nodes/OutboundAiCalling/service/campaign';
import {
  contradicts,
  fulfils,
  readState,
} from '../../nodes/OutboundAiCalling/service/campaignState';

describe('the state of a campaign', () => {
  it.each([
    ['Not Started', 'not_started'],
    ['RUNNING', 'running'],
    ['archived', 'archived'],
  ])('%s is read as %s', (text, state) => {
    expect(readState(text)).toBe(state);
  });

  it.each<[CampaignAction, string[]]>([
    // Whether people are called again is never taken from the state before.
    ['start', []],
    ['resume', ['completed']],
    ['pause', ['paused', 'completed', 'stopped']],
    ['stop', ['completed', 'stopped']],
  ])('leaves nothing to do for %s when it is one of %j', (action, fulfilled) => {
    const states = ['not_started', 'running', 'paused', 'completed', 'stopped', 'archived'];
    expect(states.filter((state) => fulfils(state, action))).toEqual(fulfilled);
    expect(fulfils(undefined, action)).toBe(false);
  });

  it('contradicts no action when it is unknown', () => {
    for (const action of ['start', 'pause', 'resume', 'stop'] as const) {
      expect(contradicts('archived', action)).toBe(false);
    }
  });
});
