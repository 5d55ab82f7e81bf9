import { beginPoll } from '../../nodes/OutboundAiCalling/trigger/overlap';
import { LONGEST_POLL_MS } from '../../nodes/OutboundAiCalling/trigger/lookTimes';

const NOW = Date.UTC(2030, 0, 1);
let count = 0;
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

const aTrigger = () => `workflow ${++count} node`;

describe('a poll that begins while another one of its trigger is under way', () => {
  it('does nothing when both are of one publication', () => {
    const [trigger, context] = [aTrigger(), {}];
    const first = beginPoll(trigger, context, false);
    jest.setSystemTime(NOW + 10_000);
    expect(beginPoll(trigger, context, false)).toBeUndefined();
    first?.end();
    expect(beginPoll(trigger, context, false)).toBeDefined();
  });

  it('takes over when the workflow was published again', () => {
    const trigger = aTrigger();
    const first = beginPoll(trigger, {}, false);
    jest.setSystemTime(NOW + 10_000);
    expect(beginPoll(trigger, {}, false)?.isPublishing).toBe(true);
    expect(first?.isSuperseded()).toBe(true);
  });

  it('does nothing under the durable scheduler, where every poll has a context of its own', () => {
    const trigger = aTrigger();
    const first = beginPoll(trigger, {}, true);
    jest.setSystemTime(NOW + 10_000);
    expect(beginPoll(trigger, {}, true)).toBeUndefined();
    expect(first?.isSuperseded()).toBe(false);
  });

  it('begins all the same when the other one has lasted too long', () => {
    const trigger = aTrigger();
    beginPoll(trigger, {}, true);
    jest.setSystemTime(NOW + LONGEST_POLL_MS);
    expect(beginPoll(trigger, {}, true)).toBeDefined();
  });
});
