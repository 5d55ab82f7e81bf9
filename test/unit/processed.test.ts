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

  it.each([
    ...[201, 202, 204, 207, 208].map((status) => ({ status, body: { success: false } })),
    ...[
      '{"success":true,"order_id":48',
      '<b>Notice</b> {"success": true}',
      "{'order_id':4821}",
    ].map((body) => ({ status: 404, body })),
    ...['/orders?id=4821', '/orders#4821', '/calls/placed', '/?message=Call+started'].map(
      (location) => ({ status: 302, headers: { location }, body: '' }),
    ),
  ])('may have been processed: %j', (answer) => {
    expect(mayHaveBeenProcessedDespite({ headers: {}, ...answer }, 'trigger')).toBe(true);
  });

  it.each([
    { status: 200, body: { success: false } },
    { status: 404, body: '<html><title>Not found</title></html>' },
    ...['/login?next=%2Fapi%2Fv1%2Fcalls%2Ftrigger', 'https://elsewhere.example/'].map(
      (location) => ({ status: 302, headers: { location }, body: '' }),
    ),
  ])('was surely not processed: %j', (answer) => {
    expect(mayHaveBeenProcessedDespite({ headers: {}, ...answer }, 'trigger')).toBe(false);
  });
});
