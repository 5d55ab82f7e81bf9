import { readAccount } from '../../nodes/OutboundAiCalling/service/account';
import { mayHoldSecrets, withoutSecrets } from '../../nodes/OutboundAiCalling/http/redaction';
import { fc, runs, seed } from '../generators';

const nested = (depth: number, innermost: unknown) => {
  let value = innermost;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

describe('a secret in an answer', () => {
  it('is cut out of texts, however deep', () => {
    const answer = { message: 'Key long-secret is fine', list: [{ echo: 'long-secret' }, 7] };
    expect(withoutSecrets(answer, ['long-secret'])).toEqual({
      message: 'Key [API key] is fine',
      list: [{ echo: '[API key]' }, 7],
    });
    expect(answer.message).toContain('long-secret');
  });

  it('is cut out of field names', () => {
    const answer: unknown = { 'key long-secret': { [`x${'long-secret'}`]: 1 }, other: 2 };
    expect(withoutSecrets(answer, ['long-secret'])).toEqual({
      'key [API key]': { 'x[API key]': 1 },
      other: 2,
    });
  });

  it('leaves numbers and, where it is short, field names what they are', () => {
    const answer = { success: true, order_id: 14001, a: 'order 14001', '4001': 4001, id: '14001' };
    expect(withoutSecrets(answer, ['4001', 'a'])).toEqual(answer);
  });

  it('is cut out where a short one stands alone', () => {
    expect(withoutSecrets('key=4001, order 14001', ['4001'])).toBe('key=[API key], order 14001');
    expect(withoutSecrets({ apiKey: '4001' }, ['4001'])).toEqual({ apiKey: '[API key]' });
  });

  it('is cut out in every spelling', () => {
    const secret = 'se"cret/ +\\ü';
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const entities = (prefix: string, base: number) =>
      [...secret].map((one) => `${prefix}${one.charCodeAt(0).toString(base)};`).join('');
    const inHtml = secret.replaceAll('"', '&quot;');
    const spellings = [
      secret,
      JSON.stringify({ secret }),
      JSON.stringify(JSON.stringify({ secret })),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURIComponent(secret).replaceAll('%20', '+'),
      encodeURIComponent(encodeURIComponent(secret)),
      encodeURIComponent(JSON.stringify({ secret })),
      base64(secret),
      base64(`Bearer ${secret}`),
      base64(`a:${secret}, and more`),
      Buffer.from(`user:${secret}`).toString('base64url'),
      inHtml,
      inHtml.replaceAll('&', '&amp;'),
      entities('&#', 10),
      entities('&#x', 16),
    ];
    for (const spelling of spellings) {
      expect(withoutSecrets(`<${spelling}>`, [secret])).toContain('[API key]');
      expect(withoutSecrets(`<${spelling}>`, [secret])).not.toContain(spelling);
      const json = JSON.stringify({ [spelling]: spelling });
      expect(mayHoldSecrets(json, [secret])).toBe(true);
    }
  });

  it('is cut out with each of its characters escaped', () => {
    const secret = `k&e<y>o"f'us/at\tb\\c`;
    const names = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
    const inHtml = [...secret].map((one) => {
      const name = (names as Record<string, string>)[one];
      return name === undefined ? one : `&${name};`;
    });
    const inJson = JSON.stringify(secret).slice(1, -1);
    const spellings = [
      inHtml.join(''),
      inJson,
      inJson.replaceAll('/', '\\/'),
      JSON.stringify(inJson.replaceAll('/', '\\/')).slice(1, -1),
      [...secret].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
      [...secret].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
    ];
    for (const spelling of spellings) {
      expect(withoutSecrets(`the key ${spelling}!`, [secret])).toBe('the key [API key]!');
      expect(mayHoldSecrets(`{"key":"${spelling}"}`, [secret])).toBe(true);
    }
  });

  it.each(['\0', '\u200d', '\u2061', '\u180e', '\u034f', '\u0332', '\u00ad', '<wbr>', '<WBR/>'])(
    'is cut out with %j between its characters, which nobody sees',
    (hidden) => {
      const secret = 'sk_live_9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c';
      const spelled = [...secret].join(hidden);
      expect(withoutSecrets(`the key ${spelled}!`, [secret])).toBe('the key [API key]!');
      expect(mayHoldSecrets(`{"key":"${spelled}"}`, [secret])).toBe(true);
      const other = `no key: a${hidden}b`;
      expect(withoutSecrets(other, [secret])).toBe(other);
    },
  );

  it('is cut out from the length on from which it is surely a secret', () => {
    expect(withoutSecrets('xx12345678xx', ['12345678'])).toBe('xx[API key]xx');
    expect(withoutSecrets({ xx12345678: 1 }, ['12345678'])).toEqual({ 'xx[API key]': 1 });
    expect(withoutSecrets('xx1234567xx', ['1234567'])).toBe('xx1234567xx');
    expect(withoutSecrets(['123456789012', '12345678'], ['12345678'])).toEqual([
      '123456789012',
      '[API key]',
    ]);
  });

  it('is cut out of digits when any of several secrets may be in them', () => {
    expect(withoutSecrets('8492017364551', ['849201736455', '4001'])).toBe('[API key]1');
  });

  it('is cut out with characters in it that nobody sees', () => {
    const ends = [0x00, 0x08, 0x0e, 0x1f, 0x7f, 0x9f, 0xad, 0x300, 0x36f, 0x61c, 0x115f, 0x1160]
      .concat([0x17b4, 0x17b5, 0x180b, 0x180e, 0x200b, 0x200f, 0x202a, 0x202e, 0x2060, 0x206f])
      .concat([0xfe00, 0xfe0f, 0xfeff]);
    const seen = [0x21, 0x7e, 0xa1, 0xac, 0xae, 0x2ff, 0x370, 0x61b, 0x115e, 0x1161, 0x17b3].concat(
      [0x17b6, 0x180a, 0x1810, 0x2010, 0x2030, 0x2070, 0xfdff, 0xfe10, 0xfefe],
    );
    const within = (code: number) => `se${String.fromCharCode(code)}cret78`;
    const told = (code: number) => withoutSecrets(within(code), ['secret78']);
    expect(ends.filter((code) => told(code) !== '[API key]')).toEqual([]);
    expect(seen.filter((code) => told(code) !== within(code))).toEqual([]);
  });

  it('is searched for in no other objects, and no empty one is', () => {
    const error = new Error('long-secret');
    expect(withoutSecrets({ error }, ['long-secret'])).toEqual({ error });
    expect(withoutSecrets({ text: 'plain' }, [''])).toEqual({ text: 'plain' });
    expect(mayHoldSecrets('{"text":"plain \\\\u0041"}', ['', ''])).toBe(false);
    expect(mayHoldSecrets('{"text":"plain"}', ['long-secret', '4001'])).toBe(false);
    expect(mayHoldSecrets('{"text":"a\\nb"}', ['long-secret'])).toBe(false);
    expect(mayHoldSecrets('{"text":"a\\nb"}', ['4001'])).toBe(true);
  });

  it('is cut out as programs and people change it', () => {
    const secret = 'sk-live-4f9a8b7c';
    const half = (between: string) => `${secret.slice(0, 9)}${between}${secret.slice(9)}`;
    const spellings = [
      secret.toUpperCase(),
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('hex').toUpperCase(),
      secret.replaceAll('-', '\u2011'),
      secret.replaceAll('-', '\u2013'),
      half('\r\n  '),
      half('\u00ad'),
      [...secret].join('\u200b'),
    ];
    for (const spelling of spellings) {
      expect(withoutSecrets(`the key ${spelling}!`, [secret])).toBe('the key [API key]!');
    }
    const bytes = [...Buffer.from(secret)];
    const inHex = bytes.map((byte) => byte.toString(16));
    const utf16 = Buffer.from(`Bearer ${secret}`, 'utf16le').toString('base64');
    const encoded = [
      Buffer.from(`Authorization: Bearer ${secret}`).toString('base64').replace(/.{16}/g, '$&\r\n'),
      inHex.join(' '),
      inHex.join(':'),
      inHex.map((byte) => `\\x${byte}`).join(''),
      inHex.map((byte) => `0x${byte}`).join(', '),
      JSON.stringify(bytes),
      JSON.stringify(bytes, null, 2),
      utf16,
    ];
    for (const spelling of encoded) {
      expect(withoutSecrets(`the key ${spelling}!`, [secret])).toContain('[API key]');
      expect(mayHoldSecrets(JSON.stringify({ spelling }), [secret])).toBe(true);
    }
    // A short one may be a word.
    expect(withoutSecrets('Demo and demo', ['demo'])).toBe('Demo and [API key]');
  });

  it('is cut out of numbers and lists of bytes', () => {
    const digits = '48151623421085';
    const data = [...Buffer.from(`key ${digits}`)];
    const answer = { key: Number(digits), id: 4815, buffer: { type: 'Buffer', data }, ids: [1, 2] };
    expect(mayHoldSecrets(JSON.stringify(answer.buffer), [digits])).toBe(true);
    expect(withoutSecrets(answer, [digits])).toEqual({
      ...{ key: '[API key]', id: 4815, ids: [1, 2] },
      buffer: { type: 'Buffer', data: '[API key]' },
    });
  });

  it('is cut out with any twelve of its characters left', () => {
    const secret = 'sk_live_4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a';
    const groups = secret.slice(8, 40).match(/.{4}/g) ?? [];
    const parts = [
      ...[secret.slice(0, 44), secret.slice(0, 12), secret.slice(8), secret.slice(20, 32)],
      ...[secret.slice(36), secret.slice(8).toUpperCase(), [...secret].join('-')],
      ...['-', ' ', '\u2011', '\u200b', ' - ', '\r\n', '\\n'].map((between) =>
        groups.join(between),
      ),
    ];
    for (const part of parts) {
      const text = `key **${part}**, once more (${part}).`;
      expect(withoutSecrets(text, [secret])).toBe('key **[API key]**, once more ([API key]).');
      expect(mayHoldSecrets(JSON.stringify({ text }), [secret])).toBe(true);
      expect(withoutSecrets({ [part]: 1 }, [secret])).toEqual({ '[API key]': 1 });
    }
    for (const encoded of [secret, `user:${secret}`, `é:${secret}?`]) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = `key ${Buffer.from(encoded).toString(encoding)}`;
        expect(withoutSecrets(text, [secret])).toMatch(/^key .{0,8}\[API key\].{0,4}$/);
        expect(mayHoldSecrets(JSON.stringify({ text }), [secret])).toBe(true);
      }
    }
    for (const part of [secret.slice(0, 11), secret.slice(37), secret.slice(20, 31)]) {
      expect(withoutSecrets(`key **${part}**`, [secret])).toBe(`key **${part}**`);
    }
    expect(withoutSecrets('key 12345678901', ['12345678901x'])).toBe('key 12345678901');
  });

  it('leaves a word that its key holds', () => {
    const key = 'order-confirmation-4f9a8b7c6d5e4f3a';
    expect(withoutSecrets('Order confirmation: yes', [key])).toBe('Order confirmation: yes');
    expect(withoutSecrets('confirmation-4f9a8b7c', [key])).toBe('[API key]');
    expect(withoutSecrets('orderconfirmations', ['orderconfirmation'])).toBe('[API key]s');
    const words = ['order_confirmed', 'OrderConfirmation', 'ORDER_CONFIRMED'];
    for (const word of words) expect(withoutSecrets(word, [`${word}_4f9a8b7c`])).toBe(word);
    const random = withoutSecrets('key sk_live_AbCdEfGhIjK', ['sk_live_AbCdEfGhIjKlMnOpQr']);
    expect(random).toBe('key [API key]');
  });

  it(`is cut out with any part that is long enough (seed ${seed})`, () => {
    const secret = fc.string({
      minLength: 12,
      maxLength: 60,
      unit: fc.constantFrom(...'abcXYZ019_.'),
    });
    const around = fc.string({ maxLength: 40, unit: fc.constantFrom(...'ab -"=/#') });
    fc.assert(
      fc.property(secret, fc.nat(), fc.nat(), around, around, (key, at, more, before, after) => {
        const start = at % (key.length - 11);
        const part = key.slice(start, start + 12 + (more % (key.length - start - 11)));
        fc.pre(/\d/.test(part) || part.length >= 20 || part === key);
        const text = `${before}#${part}#${after}`;
        expect(withoutSecrets(text, [key])).toContain('#[API key]#');
        expect(mayHoldSecrets(JSON.stringify({ text }), [key])).toBe(true);
      }),
      { numRuns: runs(300, 2_000) },
    );
  });

  it('is cut out with others, of which one holds the other', () => {
    expect(withoutSecrets('a secret-secret and a secret-s', ['secret-s', 'secret-secret'])).toBe(
      'a [API key] and a [API key]',
    );
  });

  it('is cut out of values nested 200,000 deep, and of such as hold themselves', () => {
    const deep = withoutSecrets(nested(200_000, 'long-secret'), ['long-secret']);
    let innermost = deep;
    while (Array.isArray(innermost)) innermost = innermost[0];
    expect(innermost).toBe('[API key]');

    const cyclic: Record<string, unknown> = { text: 'long-secret' };
    cyclic.self = cyclic;
    const clean = withoutSecrets(cyclic, ['long-secret']) as typeof cyclic;
    expect(clean.text).toBe('[API key]');
    expect(clean.self).toBe(clean);
  });

  it('does not make a prototype of a field', () => {
    const answer: unknown = JSON.parse('{"__proto__": {"success": true}, "x": "long-secret"}');
    const clean = withoutSecrets(answer, ['long-secret']) as { success?: boolean };
    expect(clean.success).toBeUndefined();
    expect(Object.keys(clean)).toEqual(['__proto__', 'x']);
  });

  it(`leaves nothing of itself and all of the rest (seed ${seed})`, () => {
    const secret = fc.string({ minLength: 8, maxLength: 20, unit: 'binary-ascii' });
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(secret, value, (key, json) => {
        fc.pre(!JSON.stringify(json).includes(JSON.stringify(key).slice(1, -1)));
        expect(withoutSecrets({ json, echo: `<${key}>` }, [key])).toEqual({
          json,
          echo: '<[API key]>',
        });
        expect(withoutSecrets(json, [key])).toBe(json);
      }),
      { numRuns: runs(300, 2_000) },
    );
  });

  it('is not shown as a part of the host', () => {
    const baseUrl = 'https://secret7.calls.example';
    expect(readAccount({ baseUrl, apiKey: 'secret7' }).host).toBe('[API key].calls.example');
  });
});

describe('a key of digits', () => {
  const key = '84920173645528190374';
  const told = (json: string) => JSON.stringify(withoutSecrets(JSON.parse(json), [key]));

  it.each([
    ['in a longer text of digits', `{"trace":"0${key}"}`],
    ['as a number, which JSON rounds', `{"key":${key}}`],
  ])('is cut out with any twelve of its characters left: %s', (_, json) => {
    const runs = Array.from({ length: key.length - 11 }, (__, at) => key.slice(at, at + 12));
    expect(runs.filter((run) => told(json).includes(run))).toEqual([]);
  });
});
