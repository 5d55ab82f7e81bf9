import {
  expiryOf,
  expiryWarning,
  minuteOf,
} from '../../nodes/OutboundAiCalling/dataTables/keyExpiry';
import { readN8nApi } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import { keyExpiringAt } from '../n8nKeys';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 24, 9);

describe('the day on which an n8n API key expires', () => {
  it('is read from the key', () => {
    const at = Date.UTC(2026, 11, 1, 9);
    expect(expiryOf(keyExpiringAt(at))).toBe(at);
    expect(minuteOf(at)).toBe('2026-12-01 09:00 UTC');
  });

  it.each([
    ['', 'key', 'a.b.c', 'a..c', 'a.bnVsbA.c', 'a.WzFd.c', 'a.eyJleHAiOiJzb29uIn0.c'],
    [keyExpiringAt(undefined)],
  ])('is not there in %j', (...keys) => {
    expect(keys.map(expiryOf)).toEqual(keys.map(() => undefined));
  });

  it.each([
    [8, false],
    [7.01, false],
    [7, true],
    [0.1, true],
    [0, false],
    [-1, false],
  ])('is told %f days before: %p', (days, isTold) => {
    const n8nApiKey = ` ${keyExpiringAt(NOW + days * DAY_MS)} `;
    const warning = expiryWarning({ n8nApiKey }, NOW);
    expect(warning !== undefined).toBe(isTold);
    expect(warning ?? '').not.toContain(n8nApiKey.trim());
  });

  it('is told of a key that has expired, without the key', () => {
    const n8nApiKey = keyExpiringAt(Date.now() - DAY_MS);
    const read = () => readN8nApi({ n8nApiKey, n8nApiUrl: 'http://localhost/api/v1' }, undefined);
    expect(read).toThrow(
      /^The n8n API key in the credential expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
    );
  });
});
