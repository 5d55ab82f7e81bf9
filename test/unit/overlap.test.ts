import { beginPoll } from '../../nodes/OutboundAiCalling/trigger/overlap';
import { LONGEST_POLL_MS } from '../../nodes/OutboundAiCalling/trigger/lookTimes';

const NOW = Date.UTC(2030, 0, 1);
let count = 0;
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

const aTrigger = () => [`workflow ${++count} id`, `workflow ${count} name`];

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

  it.each([
    [
      'has the name of another one, which it replaces',
      (name: string) => [`other than ${name}`, name],
    ],
    ['has another name than before', (_name: string, id: string) => [id, `other than ${id}`]],
  ])('takes over when its node %s', (_what, renamed) => {
    const [id = '', name = ''] = aTrigger();
    const first = beginPoll([id, name], {}, false);
    const second = beginPoll(renamed(name, id), {}, false);
    expect([first?.isSuperseded(), second?.isSuperseded()]).toEqual([true, false]);
    first?.end();
    expect(second?.isSuperseded()).toBe(false);
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
