import { isPage } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { mayBeDone, mayPass } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import { errorOfAnswer } from '../../nodes/OutboundAiCalling/dataTables/errorOfAnswer';
import { readN8nApi } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';

const n8nApiKey = 'a.key-of_n8n';

describe('the n8n API', () => {
  it.each(
    ['', '//', '/data-tables', '/data-tables/'].map((end) => `http://localhost:5678/api/v1${end}`),
  )('is at %s', (n8nApiUrl) => {
    expect(readN8nApi({ n8nApiKey, n8nApiUrl }, undefined)).toEqual({
      address: 'http://localhost:5678/api/v1',
      key: n8nApiKey,
    });
  });

  it('is at the address at which n8n knows itself when the credential names none', () => {
    const { address } = readN8nApi({ n8nApiKey, n8nApiUrl: ' ' }, 'http://localhost:5678/');
    expect(address).toBe('http://localhost:5678/api/v1');
  });

  it.each([
    'http://n8n:5678/api/v1',
    'http://n8/api/v1',
    'http://10.0.0.7/api/v1',
    'http://[::1]:5678/api/v1',
    'http://[fd00::1]:5678/api/v1',
    'http://[fc12:3456::1]/api/v1',
    'http://n8n.local/api/v1',
  ])('is at %s without encryption, for nobody else can answer there', (n8nApiUrl) => {
    expect(readN8nApi({ n8nApiKey, n8nApiUrl }, undefined).address).toBe(n8nApiUrl);
  });

  it.each([
    'http://[fd::1]:5678/api/v1',
    'http://[fc::1]/api/v1',
    'http://[fd0::1]/api/v1',
    'http://ai/api/v1',
    'http://xn--fiqs8s/api/v1',
  ])('gets no key unencrypted at %s, which is no private address', (n8nApiUrl) => {
    expect(() => readN8nApi({ n8nApiKey, n8nApiUrl }, undefined)).toThrow(/not encrypted/);
  });

  it.each(['localhost', 'ftp://n8n', 'http://user:key@n8n', 'http://n8n.example.com/api/v1'])(
    'cannot be at %j',
    (n8nApiUrl) => {
      expect(() => readN8nApi({ n8nApiKey, n8nApiUrl }, undefined)).toThrow(
        /n8n API URL|not encrypted/,
      );
    },
  );

  it.each([
    ['https://calls.example.com', 'https://calls.example.com'],
    ['calls.example.com/api/v1', 'https://calls.example.com/api/v1/'],
    ['https://example.com/calls', 'https://example.com/calls/api/v1'],
  ])('is not at the address of the calling service: %s, %s', (baseUrl, n8nApiUrl) => {
    const credential = { baseUrl, n8nApiKey, n8nApiUrl };
    expect(() => readN8nApi(credential, undefined)).toThrow(/are one address/);
  });

  it.each([
    ['https://example.com', 'https://example.com/n8n/api/v1'],
    ['https://example.com/calls', 'https://example.com/api/v1'],
    ['http://localhost:3000', 'http://localhost:5678/api/v1'],
  ])('may be on the host of the calling service: %s, %s', (baseUrl, n8nApiUrl) => {
    const credential = { baseUrl, n8nApiKey, n8nApiUrl };
    expect(readN8nApi(credential, undefined).address).toBe(n8nApiUrl);
  });

  it.each(['eyJhbGciOi…Qssw5c', 'eyJhbGciOi...Qssw5c', '******sw5c'])(
    'is not asked with a key that n8n has shown in part: %s',
    (key) => {
      const given = { n8nApiKey: key, n8nApiUrl: 'http://localhost:5678/api/v1' };
      expect(() => readN8nApi(given, undefined)).toThrow(/cut off/);
    },
  );

  const answer = (status: number, body: unknown) => ({ status, headers: {}, body });

  it.each([
    [answer(200, { data: [] }), undefined],
    [answer(200, { hello: 'world' }), 'notN8n'],
    [answer(200, true), 'notN8n'],
    [answer(401, { message: 'unauthorized' }), 'keyRefused'],
    [answer(403, { message: 'Forbidden' }), 'scopeMissing'],
    [answer(404, { message: 'not found' }), 'noDataTables'],
    [answer(404, { message: "Could not find the data table: 'x'" }), 'tableMissing'],
    [answer(400, { message: 'no such column' }), 'refused'],
    [answer(200, '<html>'), 'notN8n'],
    [answer(302, ''), 'notN8n'],
    // n8n says why it refuses a key, in JSON with a message.
    [answer(401, '<html>'), 'notN8n'],
    [answer(403, '<html>'), 'notN8n'],
    [answer(403, 'Access denied'), 'notN8n'],
    [answer(403, { error: 'blocked' }), 'notN8n'],
    [answer(404, {}), 'notN8n'],
    [answer(500, {}), 'notN8n'],
    [answer(413, '<html>'), 'tooLarge'],
    [answer(413, { message: 'request entity too large' }), 'tooLarge'],
    [{ fault: 'noConnection' as const }, 'unreachable'],
  ])('%j means %s', (given, kind) => {
    expect(errorOfAnswer(given, 'localhost', 'dataTable:list', isPage)?.kind).toBe(kind);
  });

  it.each([
    [answer(401, '<html><body>401 nginx</body></html>'), 'status 401, a web page'],
    [answer(403, '<html><body>403 nginx</body></html>'), 'status 403, a web page'],
    [answer(403, 'Blocked by policy'), 'status 403, "Blocked by policy"'],
    [answer(200, 'n8n is starting up'), 'status 200, "n8n is starting up"'],
  ])('what something before n8n answers is told as it came: %j', (given, came) => {
    const error = errorOfAnswer(given, 'localhost', 'dataTable:list', isPage);
    expect(error?.message).toBe(`localhost answered, but not as the API of n8n does (${came})`);
    expect(error?.advice).toContain('a proxy or a firewall');
    // It may answer otherwise soon, and n8n may have seen the request.
    expect(mayPass(error)).toBe(true);
    expect(mayBeDone(error)).toBe(true);
  });

  it('a request that is too large names the setting, and does not pass by itself', () => {
    const page = answer(413, '<html><body>413 Request Entity Too Large</body></html>');
    const error = errorOfAnswer(page, 'localhost', 'dataTableRow:create', isPage);
    expect(error?.message).toContain('too large (status 413)');
    expect(error?.advice).toContain('client_max_body_size');
    expect(mayPass(error)).toBe(false);
    expect(mayBeDone(error)).toBe(false);
  });

  it.each([
    ['noConnection', 'could not be reached'],
    ['untrusted', 'certificate'],
    ['timedOut', 'did not answer in time'],
    ['lost', 'broke before the answer came'],
    ['tooLong', 'too long'],
    ['cancelled', 'cancelled while a request'],
    ['notSent', 'cancelled before a request'],
  ] as const)('a request that ends with %s says so', (fault, said) => {
    const error = errorOfAnswer({ fault }, 'localhost', 'dataTable:list', isPage);
    expect(error?.message).toContain(said);
  });
});
