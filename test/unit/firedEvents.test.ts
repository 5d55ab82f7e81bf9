import { FiredEvents, MOST_EVENTS } from '../../nodes/OutboundAiCalling/trigger/firedEvents';

const event = { eventId: 'account-call-1-4821-outcomeAvailable' };

describe('an event that a trigger has fired', () => {
  it('is known when the trigger watches something else, until n8n refuses it', () => {
    const fromLog = new FiredEvents('fired', 'callLog');
    const here = new FiredEvents('fired', 'instance');
    fromLog.note([event]);
    expect(fromLog.hasFromElsewhere(event)).toBe(false);
    expect(here.hasFromElsewhere(event)).toBe(true);
    expect(new FiredEvents('other', 'instance').hasFromElsewhere(event)).toBe(false);
    fromLog.forget([event]);
    expect(here.hasFromElsewhere(event)).toBe(false);
  });

  it('is forgotten when too many others were fired since', () => {
    const fromLog = new FiredEvents('many', 'callLog');
    fromLog.note([event]);
    fromLog.note(Array.from({ length: MOST_EVENTS }, (_, index) => ({ eventId: String(index) })));
    const here = new FiredEvents('many', 'instance');
    expect(here.hasFromElsewhere(event)).toBe(false);
    expect(here.hasFromElsewhere({ eventId: '0' })).toBe(true);
  });
});
