import {
  mayHaveBeenProcessedDespite,
  repeatOf,
} from '../../nodes/OutboundAiCalling/service/processed';
import type { Purpose } from '../../nodes/OutboundAiCalling/service/purpose';

const CHANGES: Purpose[] = ['trigger', 'createCampaign', 'start', 'resume'];

describe('a request that has failed', () => {
  it.each<Purpose>(['outcome', 'scriptVariables', 'pause', 'stop'])(
    'may be sent again: %s',
    (purpose) => {
      expect(repeatOf(purpose)).toEqual({ idempotent: true });
    },
  );

  it.each(CHANGES)('may be sent again only when it was surely not processed: %s', (purpose) => {
    const repeat = repeatOf(purpose);
    const answer = (status: number) => ({ status, headers: {}, body: { success: false } });
    expect(repeat).toMatchObject({ idempotent: false });
    if (!('mayHaveBeenProcessed' in repeat)) throw new Error('It is idempotent');
    expect(repeat.mayHaveBeenProcessed(answer(502))).toBe(true);
    expect(mayHaveBeenProcessedDespite({ fault: 'timedOut' }, purpose)).toBe(true);
    expect(mayHaveBeenProcessedDespite({ fault: 'noConnection' }, purpose)).toBe(false);
  });

  it('has changed nothing when it only reads', () => {
    for (const fault of ['timedOut', 'lost', 'noConnection'] as const) {
      expect(mayHaveBeenProcessedDespite({ fault }, 'outcome')).toBe(false);
    }
  });
});
