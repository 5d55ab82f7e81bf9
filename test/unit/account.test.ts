import {
  authenticationHeader,
  readAccount,
  secretsOf,
} from '../../nodes/OutboundAiCalling/service/account';
import { withoutSecrets } from '../../nodes/OutboundAiCalling/http/redaction';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { fc } from '../generators';

const credential = (fields: object) => ({
  baseUrl: 'https://calls.example',
  apiKey: 'k',
  ...fields,
});

describe('the credential', () => {
  it.each([
    ['https://calls.example', 'https://calls.example'],
    ['https://calls.example///', 'https://calls.example'],
    [' https://calls.example/tenant/ ', 'https://calls.example/tenant'],
    ['http://localhost:4010/', 'http://localhost:4010'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
    ['calls.example', 'https://calls.example'],
    ['calls.example:8443/tenant', 'https://calls.example:8443/tenant'],
    ['localhost:4010', 'http://localhost:4010'],
    ['localhost', 'http://localhost'],
    ['[::1]/tenant', 'http://[::1]/tenant'],
    ['calls:8443', 'https://calls:8443'],
    ['https://calls', 'https://calls'],
    ['https://calls.example/api', 'https://calls.example'],
    ['https://calls.example/api/v1/', 'https://calls.example'],
    ['calls.example/tenant/api/v2', 'https://calls.example/tenant'],
  ])('takes the base URL %p', (baseUrl, read) => {
    expect(readAccount(credential({ baseUrl })).baseUrl).toBe(read);
  });

  it.each([
    ['', /no base URL/],
    ['mailto:calls@example', /not an http\(s\) address|user name/],
    ['calls example', /not an http\(s\) address/],
    ['Ak9fQ27xLmZ08s', /not an http\(s\) address/],
    ['Ak9fQ27xLmZ08s/api', /not an http\(s\) address/],
    ['user:secret@calls.example', /user name or password/],
    ['ftp://calls.example', /not an http\(s\) address/],
    ['xhttp://calls.example', /not an http\(s\) address/],
    ['http://notlocalhost:4010', /not encrypted/],
    ['http://127.0.0.1.example', /not encrypted/],
    ['https://user:secret@calls.example', /user name or password/],
    ['https://calls.example?x=1', /\? or #/],
    ['http://calls.example', /not encrypted/],
    ['http://localhost.evil.example', /not encrypted/],
    ['http://127.evil.example', /not encrypted/],
  ])('refuses the base URL %p and says why', (baseUrl, why) => {
    expect(() => readAccount(credential({ baseUrl }))).toThrow(why);
  });

  it.each([
    ['live.4f9c1b7e2d.k8s3', 'live.4f9c1b7e2d.k8s3'],
    ['Live.4f9c1b7e2d', 'https://live.4f9c1b7e2d/api/v1'],
    ['4f9c1b7e2d', 'https://calls.example/4f9c1b7e2d'],
    ['a.b', 'a.b'],
  ])('looks for no host whose address holds the key: %s, %s', (apiKey, baseUrl) => {
    expect(() => readAccount(credential({ apiKey, baseUrl }))).toThrow(/holds a key/);
    const n8nApiKey = apiKey;
    expect(() => readAccount(credential({ n8nApiKey, baseUrl }))).toThrow(/holds a key/);
  });

  it('may have a short key that is a word of the address', () => {
    expect(readAccount(credential({ apiKey: 'calls' })).baseUrl).toBe('https://calls.example');
  });

  it.each([
    ['https://calls.example/dashboard', 'https://calls.example'],
    ['https://calls.example/tenant/Dashboard/scripts/12', 'https://calls.example/tenant'],
    ['calls.example/login/', 'https://calls.example'],
    ['https://calls.example:8443/settings/api-keys', 'https://calls.example:8443'],
    ['https://calls.example/tenant/dashboard?tab=keys#top', 'https://calls.example/tenant'],
    ['https://calls.example/#/dashboard', 'https://calls.example'],
  ])('says which part of %p to keep', (baseUrl, kept) => {
    try {
      readAccount(credential({ baseUrl }));
      throw new Error('It was accepted');
    } catch (error) {
      const { kind, advice } = error as CallingServiceError;
      expect(kind).toBe('invalidAccount');
      expect(advice).toContain(`Keep only ${kept} of the base URL`);
      expect(readAccount(credential({ baseUrl: kept })).baseUrl).toBe(kept);
    }
  });

  it.each([
    ['headerForm', 'X-API-Key', 'Header Form'],
    ['headerForm', '', 'Header Form'],
    ['headerForm', null, 'Header Form'],
    ['pathForm', 'v1', 'Path Form'],
    ['pathForm', '', 'Path Form'],
  ])('refuses %p %p, which is none of the choices', (field, value, label) => {
    const read = () => readAccount(credential({ [field]: value }));
    expect(read).toThrow(`"${label}" of the credential is none of its choices`);
  });

  it('takes the first forms for a credential that was made without them', () => {
    expect(readAccount(credential({})).pathForm).toBe('versioned');
    expect(authenticationHeader(credential({}))).toEqual({ Authorization: 'Bearer k' });
  });

  it('never repeats a key that stands in the path', () => {
    const apiKey = 'key-of-nobody-else-1234';
    const baseUrl = `https://calls.example/${apiKey}/dashboard`;
    const read = () => readAccount({ baseUrl, apiKey });
    expect(read).toThrow(CallingServiceError);
    try {
      read();
    } catch (error) {
      expect((error as CallingServiceError).advice).not.toContain(apiKey);
    }
  });

  it('sends over plain http to another machine only when that is allowed', () => {
    const baseUrl = 'http://10.0.0.5:8080';
    expect(readAccount(credential({ baseUrl, allowHttp: true })).baseUrl).toBe(baseUrl);
    expect(() => readAccount(credential({ baseUrl }))).toThrow(/not encrypted/);
  });

  it.each([undefined, null, '', ' '])('has to have an API key, which %p is not', (apiKey) => {
    expect(() => authenticationHeader(credential({ apiKey }))).toThrow('has no API key');
  });

  it('sends exactly one header, with the key whole and trimmed', () => {
    const apiKey = '  abc def  ';
    expect(authenticationHeader(credential({ apiKey }))).toEqual({
      Authorization: 'Bearer abc def',
    });
    expect(authenticationHeader(credential({ apiKey, headerForm: 'xApiKey' }))).toEqual({
      'X-API-Key': 'abc def',
    });
  });

  it.each([
    ...['Bearer sk_live_4f9a8b7c', 'bearer: sk_live_4f9a8b7c', 'X-API-Key: sk_live_4f9a8b7c'],
    ...['"sk_live_4f9a8b7c"', "sk_live_4f9a8b7c'", 'sk_live_4f9a8b7c;', 'api_key=sk_live_4f9a8b7c'],
    'Authorization: Bearer sk_live_4f9a8b7c',
  ])('refuses %p, and keeps the key in it secret', (apiKey) => {
    expect(() => authenticationHeader(credential({ apiKey }))).toThrow('more around it');
    const secrets = secretsOf({ apiKey });
    expect(withoutSecrets('Unknown key sk_live_4f9a8b7c', secrets)).toBe('Unknown key [API key]');
  });

  it.each([undefined, null, '', '  '])('asks for a key when there is none: %p', (apiKey) => {
    expect(() => authenticationHeader(credential({ apiKey }))).toThrow('has no API key');
    expect(secretsOf({ apiKey, n8nApiKey: apiKey })).toEqual([]);
  });

  it('refuses a key of n8n, which the calling service must not see', () => {
    const jwt = (claims: object) =>
      ['{"alg":"HS256"}', JSON.stringify(claims), 'signature']
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.');
    const apiKey = jwt({ sub: 'user', iss: 'n8n', aud: 'public-api' });
    expect(() => authenticationHeader(credential({ apiKey }))).toThrow('is a key of n8n');
    const ofService = jwt({ sub: 'user', iss: 'calls' });
    expect(authenticationHeader(credential({ apiKey: ofService }))).toEqual({
      Authorization: `Bearer ${ofService}`,
    });
  });

  it('tells that the base URL and the key stand in each other’s field, and repeats no key', () => {
    const exchanged = { baseUrl: 'Ak9fQ27xLmZ08s', apiKey: 'https://calls.example' };
    expect(() => readAccount(exchanged)).toThrow('The API key in the credential is an address');
  });

  it.each(['bearer-key-1', 'api_key_1', "it's", 'x-api-key-1'])('takes %p', (apiKey) => {
    expect(authenticationHeader(credential({ apiKey }))).toEqual({
      Authorization: `Bearer ${apiKey}`,
    });
  });

  it.each(['', '   ', 'ab\ncd', 'ab\u0000cd', 'ключ'])('refuses the key %p', (apiKey) => {
    expect(() => authenticationHeader(credential({ apiKey }))).toThrow(CallingServiceError);
  });

  it('never repeats a key or a password in an objection', () => {
    const secrets = fc.string({ minLength: 8, maxLength: 30 }).map((text) => `S${text}9`);
    fc.assert(
      fc.property(secrets, fc.webUrl(), (secret, url) => {
        const baseUrl = url.replace('://', `://u:${encodeURIComponent(secret)}@`);
        try {
          readAccount({ baseUrl, apiKey: `${secret}\n${secret}` });
        } catch (error) {
          const { message, advice } = error as CallingServiceError;
          expect(message + advice).not.toContain(secret);
        }
      }),
    );
  });
});
