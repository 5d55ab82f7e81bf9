import { faultOf } from '../../nodes/OutboundAiCalling/http/networkFault';

const withCode = (code: unknown, more: object = {}) =>
  Object.assign(new Error(), { code, ...more });
const within = (depth: number, error: unknown): unknown =>
  depth === 0 ? error : { cause: within(depth - 1, error) };

describe('the fault of an error', () => {
  it.each([
    ['ENOTFOUND', 'noConnection'],
    ['EAI_AGAIN', 'noConnection'],
    ['ECONNREFUSED', 'noConnection'],
    ['CERT_HAS_EXPIRED', 'untrusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'untrusted'],
    ['ECONNABORTED', 'timedOut'],
    ['ETIMEDOUT', 'timedOut'],
    ['ESOCKETTIMEDOUT', 'timedOut'],
    ['ERR_CANCELED', 'cancelled'],
    ['ECONNRESET', 'lost'],
    ['EHOSTUNREACH', 'lost'],
    ['EPROTO', 'lost'],
    // Only whole codes prove anything.
    ['XENOTFOUND', 'lost'],
    ['ECONNREFUSED2', 'lost'],
    ['EAI_', 'lost'],
    [7, 'lost'],
    [undefined, 'lost'],
  ])('with code %s is %s', (code, fault) => {
    expect(faultOf(withCode(code))).toEqual({ fault });
  });

  it.each([null, undefined, 'ECONNREFUSED', 7])('is "lost" for %p', (thrown) => {
    expect(faultOf(thrown)).toEqual({ fault: 'lost' });
  });

  it.each([
    ['while it connects', { syscall: 'connect' }],
    ['by n8n, which guards its network', { name: 'SsrfBlockedIpError' }],
  ])('that came %s is "noConnection"', (_label, more) => {
    expect(faultOf(withCode('ETIMEDOUT', more))).toEqual({ fault: 'noConnection' });
    expect(faultOf(withCode('ETIMEDOUT', { syscall: 'read', name: 'Blocked' }))).toEqual({
      fault: 'timedOut',
    });
  });

  it('is found among its causes and the attempts of a connection, to a depth that ends', () => {
    const refused = withCode('ECONNREFUSED');
    expect(faultOf(within(6, refused))).toEqual({ fault: 'noConnection' });
    expect(faultOf(within(7, refused))).toEqual({ fault: 'lost' });
    expect(faultOf({ errors: [withCode('X'), { cause: refused }] })).toEqual({
      fault: 'noConnection',
    });
    expect(faultOf({ errors: refused })).toEqual({ fault: 'lost' });
  });

  it('says "cancelled" before all else', () => {
    const error = withCode('ECONNREFUSED', { cause: withCode('ERR_CANCELED') });
    expect(faultOf(error)).toEqual({ fault: 'cancelled' });
  });
});
