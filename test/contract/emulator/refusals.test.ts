import {
  CALL,
  contacts,
  control,
  create,
  endAll,
  KEY,
  outcome,
  send,
  start,
  trigger,
  type Json,
} from './client';

afterEach(endAll);

const refused = (status: number, message: unknown) => ({
  status,
  body: { success: false, message },
});
const NO_SCRIPT = refused(400, 'scriptId is required');
const NO_PHONE = refused(400, 'customerPhone is required');

describe('authentication', () => {
  test.each([
    ['the bearer form', { authorization: `Bearer ${KEY}` }, 200],
    ['the X-API-Key form', { 'x-api-key': KEY }, 200],
    ['both forms at once', { authorization: `Bearer ${KEY}`, 'x-api-key': KEY }, 401],
    ['no header', {}, 401],
    ['an unknown key', { 'x-api-key': 'other' }, 401],
    ['a key without Bearer', { authorization: KEY }, 401],
    ['two spaces after Bearer', { authorization: `Bearer  ${KEY}` }, 401],
  ])('%s', async (_name, headers: Record<string, string>, status) => {
    const service = await start();
    const answer = await send(service, 'POST', '/api/v1/calls/trigger', CALL, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.success).toBe(status === 200);
    if (status === 401) expect(answer).toMatchObject(refused(401, 'Unauthorized'));
    expect(service.seen.calls).toHaveLength(status === 200 ? 1 : 0);
  });

  test('orders and campaigns are visible to the key that made them only', async () => {
    const service = await start({ apiKeys: [KEY, 'other'] });
    const other = { 'x-api-key': 'other' };
    await trigger(service);
    const { body } = await create(service, { scriptId: 7, contacts: contacts(1) });
    const order = await send(service, 'GET', '/api/v1/orders/4001/outcome', undefined, other);
    expect(order).toMatchObject(refused(404, 'Order not found'));
    const path = `/api/v1/campaigns/${String(body.campaign_id)}/control`;
    const campaign = await send(service, 'POST', path, { action: 'start' }, other);
    expect(campaign).toMatchObject(refused(404, 'Campaign not found'));
  });
});

describe('a trigger request is refused, and no call is placed', () => {
  test.each<[string, unknown, object]>([
    ['without a script id', { customerPhone: CALL.customerPhone }, NO_SCRIPT],
    ['with a script id that is text', { ...CALL, scriptId: '7' }, NO_SCRIPT],
    ['with a broken script id', { ...CALL, scriptId: 7.5 }, NO_SCRIPT],
    ['with an unknown script id', { ...CALL, scriptId: 999 }, NO_SCRIPT],
    ['with an array for a body', [CALL], NO_SCRIPT],
    ['with null for a body', null, NO_SCRIPT],
    ['without a phone number', { scriptId: 7 }, NO_PHONE],
    ['with a blank phone number', { ...CALL, customerPhone: ' ' }, NO_PHONE],
    [
      'without script variables, which are all named',
      { ...CALL, scriptId: 12 },
      refused(400, 'Missing required script variables: brand_name, order_amount'),
    ],
    [
      'with one of two script variables',
      { ...CALL, scriptId: 12, brand_name: 'Acme', order_amount: '' },
      refused(400, 'Missing required script variables: order_amount'),
    ],
  ])('%s', async (_name, body, answer) => {
    const service = await start();
    expect(await trigger(service, body)).toMatchObject(answer);
    expect(service.seen.calls).toEqual([]);
  });

  test('with a body that is not JSON, or not called JSON; both are seen', async () => {
    const service = await start();
    const post = async (body: string, type: string) => {
      const response = await fetch(`${service.baseUrl}/api/v1/calls/trigger`, {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': type },
        body,
      });
      return { status: response.status, body: (await response.json()) as Json };
    };
    expect(await post('{oops', 'application/json')).toEqual(
      refused(400, 'The body is not valid JSON'),
    );
    expect(await post(JSON.stringify(CALL), 'text/plain')).toEqual(
      refused(400, 'Content-Type must be application/json'),
    );
    expect(service.seen.received.map(({ body }) => body)).toEqual(['{oops', CALL]);
    expect(service.seen.calls).toEqual([]);
  });
});

test('unknown script ids are accepted when the service is told so', async () => {
  const service = await start({ unknownScripts: 'accepted' });
  expect((await trigger(service, { ...CALL, scriptId: 999 })).status).toBe(200);
});

test('scripts are configurable', async () => {
  const service = await start({ scripts: { 3: ['city'] } });
  expect(await trigger(service, { ...CALL, scriptId: 3 })).toMatchObject(
    refused(400, 'Missing required script variables: city'),
  );
  expect(await trigger(service)).toMatchObject(NO_SCRIPT);
});

test.each(['1', 'abc', '4001x', '04001', '1e9', '__proto__'])(
  'the outcome of an order that does not exist: %s',
  async (id) => {
    const service = await start();
    await trigger(service);
    expect(await outcome(service, id)).toMatchObject(refused(404, 'Order not found'));
  },
);

test('a campaign that does not exist', async () => {
  const service = await start();
  expect(await control(service, 1, 'start')).toMatchObject(refused(404, 'Campaign not found'));
});

describe('a create request is refused, and no campaign is made', () => {
  const campaign = { scriptId: 7, contacts: contacts(2) };
  test.each<[string, Json, object]>([
    ['without a script id', { contacts: contacts(1) }, NO_SCRIPT],
    ['with neither contacts nor csvText', { scriptId: 7 }, refused(400, expect.any(String))],
    [
      'with both contacts and csvText',
      { ...campaign, csvText: 'phone_number\n+12025550101' },
      refused(400, expect.any(String)),
    ],
    ['with no contact', { scriptId: 7, contacts: [] }, refused(400, expect.any(String))],
    ['with an unknown kind', { ...campaign, kind: 'x' }, refused(400, expect.any(String))],
    ['with 0 calls at once', { ...campaign, maxConcurrency: 0 }, refused(400, expect.any(String))],
    [
      'with more than 2,000 contacts',
      { scriptId: 7, contacts: contacts(2001) },
      refused(400, expect.stringContaining('2000')),
    ],
    ['with a contact without a phone', { scriptId: 7, contacts: [{ name: 'A' }] }, NO_PHONE],
    ['with a contact that is no object', { scriptId: 7, contacts: [null] }, NO_PHONE],
    ['without the phone column', { scriptId: 7, csvText: 'tel\n+12025550101' }, NO_PHONE],
    [
      'with an empty phone in a row',
      { scriptId: 7, csvText: 'phone_number,name\n+12025550101,A\n,B' },
      NO_PHONE,
    ],
    [
      'with CSV that cannot be read',
      { scriptId: 7, csvText: 'phone_number\n"+1202' },
      refused(400, expect.any(String)),
    ],
    [
      'without script variables',
      { ...campaign, scriptId: 12 },
      refused(400, 'Missing required script variables: brand_name, order_amount'),
    ],
  ])('%s', async (_name, body, answer) => {
    const service = await start();
    expect(await create(service, body)).toMatchObject(answer);
    expect(service.seen.campaigns).toEqual([]);
  });
});

test('other paths are not found', async () => {
  const service = await start();
  expect(await send(service, 'GET', '/api/v1/campaigns')).toMatchObject(refused(404, 'Not found'));
  expect(service.seen.requests.unknown).toBe(1);
});
