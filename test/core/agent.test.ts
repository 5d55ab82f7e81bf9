import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService, type Fault } from '../service';
import { AgentTool } from './engine';
import { ProcessedKeys } from './processedKeys';

let service: CallingService;
beforeAll(async () => {
  await ProcessedKeys.install();
});
beforeEach(async () => {
  service = await startCallingService({ speed: 1000 });
});
afterEach(async () => await service.close());

const ANN = '+12025551001';
const BO = '+12025551002';
const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const tool = (parameters: IDataObject, settings = {}) =>
  new AgentTool({
    parameters,
    settings,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
const trigger = {
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: '={{ $fromAI("phone") }}',
  additionalFields: { orderNumber: '={{ $fromAI("order", "", "string", "") }}' },
};
const answerOf = (text: string) => (JSON.parse(text) as IDataObject[])[0] ?? {};

describe('an AI agent', () => {
  it('calls whom it asks for', async () => {
    const agent = tool(trigger);
    expect(answerOf(await agent.prepare()({ phone: ANN }))).toMatchObject({ customerPhone: ANN });
    expect(answerOf(await agent.prepare()({ phone: BO }))).toMatchObject({ customerPhone: BO });
    expect([...service.seen.callsByPhone]).toEqual([
      [ANN, 1],
      [BO, 1],
    ]);
  });

  it('calls a person once by its campaigns, however it writes the order', async () => {
    const agent = tool({
      ...{ resource: 'campaign', operation: 'create', scriptId: 7, startImmediately: true },
      ...{ contactsSource: 'json', contactsJson: '={{ $fromAI("contacts", "", "json") }}' },
    });
    const ann = (...orders: Array<string | undefined>) => ({
      contacts: orders.map((orderNumber) => ({ customerPhone: ANN, orderNumber })),
    });
    const created = answerOf(
      await agent.prepare()(ann('1001', undefined, undefined, 'Order-1001')),
    );
    expect(created).toMatchObject({ contactCount: 1 });
    expect(created.skippedContacts).toHaveLength(3);
    for (const orders of [['1001', 'Order-1001'], ['1001', undefined], ['1001', '4'], ['4']]) {
      await agent
        .prepare()(ann(...orders))
        .catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([...service.seen.callsByPhone]).toEqual([[ANN, 1]]);
  });

  it.each([
    ...['$json.phone', "$('Orders').item.json.phone", '$node["Orders"].json.phone'],
    ...['$("Orders").pairedItem().json.phone', '$("Orders").itemMatching($itemIndex).json.phone'],
  ])('calls nobody by %s where n8n gives all its items the first one', async (expression) => {
    const items = [ANN, BO].map((phone) => ({ phone }));
    const parameters = { ...trigger, customerPhone: `={{ ${expression} }}` };
    const agent = new AgentTool(
      { parameters, credential: { baseUrl: service.baseUrl, apiKey: 'test-key' } },
      false,
      items,
    );
    const refused = '"customerPhone" is that of the first of 2 items for all of them';
    await expect(agent.prepare()({ order: 'A-2' })).rejects.toThrow(refused);
    expect(service.seen.callsByPhone.size).toBe(0);
  });

  it.each([
    '$fromAI("phone")',
    '$ifEmpty($vars.phone, $fromAI("phone"))',
    '$if($now.hour < 25, $fromAI("phone"), "")',
  ])('calls whom it asks for by %s, however many items it has', async (expression) => {
    const parameters = { ...trigger, customerPhone: `={{ ${expression} }}` };
    const credential = { baseUrl: service.baseUrl, apiKey: 'test-key' };
    const agent = new AgentTool({ parameters, credential }, false, [{}, {}]);
    expect(answerOf(await agent.prepare()({ phone: ANN }))).toMatchObject({ customerPhone: ANN });
  });

  it('may say what nobody asks for, by any name', async () => {
    const agent = tool(trigger);
    const odd = JSON.parse('{ "order number": 3, "__proto__": 1, "x(": 2 }') as IDataObject;
    const answer = await agent.prepare()({ phone: BO, why: 'a delivery', ...odd });
    expect(answerOf(answer)).toMatchObject({ customerPhone: BO });
  });

  it('calls once what may have been placed, over all tries and further requests', async () => {
    service.faults.add({ kind: 'reset', when: 'after', times: 9 });
    const agent = tool(trigger, retries);
    for (let round = 0; round < 2; round++) {
      const answer = agent.prepare()({ phone: ANN, order: 'A-1' });
      await expect(answer).rejects.toThrow(/^Somebody may have been called\. /);
    }
    expect(service.seen.requests.trigger).toBe(1);
  });

  it('that stops the workflow on an error tells the person of all its calls', async () => {
    const agent = tool(trigger, { onError: 'stopWorkflow' });
    await agent.prepare()({ phone: ANN, order: 'A-1' });
    const [{ orderId = 0 } = {}] = service.seen.calls;
    service.faults.add({ kind: 'reset', when: 'after' });
    const inDoubt = agent.prepare()({ phone: BO, order: 'A-2' });
    const told = `1 person was called for the agent, and 1 more may have been: call IDs at the service ${orderId}. `;
    await expect(inDoubt).rejects.toThrow(`${told}The connection`);
    await expect(agent.prepare()({ order: 'A-3' })).rejects.toThrow(`${told}Customer Phone`);
  });

  it('places with Retry On Fail what was not placed', async () => {
    service.faults.add({ kind: 'status', status: 400, times: 2 });
    const answer = await tool(trigger, retries).prepare()({ phone: ANN });
    expect(answerOf(answer)).toMatchObject({ customerPhone: ANN });
    expect([...service.seen.callsByPhone]).toEqual([[ANN, 1]]);
  });

  it.each([
    [
      'one after the other',
      async (calls: Array<() => Promise<string>>) => {
        const answers = [];
        for (const call of calls) answers.push(await call());
        return answers;
      },
    ],
    [
      'at the same time',
      async (calls: Array<() => Promise<string>>) =>
        await Promise.all(calls.map(async (call) => await call())),
    ],
  ])(
    'prepares two calls together and makes them %s: each customer gets a call',
    async (_, make) => {
      const agent = tool(trigger);
      const [first, second] = [agent.prepare(), agent.prepare()];
      const answers = await make([
        async () => await first({ phone: ANN }),
        async () => await second({ phone: BO }),
      ]);
      expect(answers.map((text) => answerOf(text).customerPhone)).toEqual([ANN, BO]);
      expect(new Set(answers.map((text) => answerOf(text).orderId)).size).toBe(2);
      expect(service.seen.calls).toHaveLength(2);
    },
  );

  it('calls once when it asks twice for the same at the same time', async () => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 100 });
    const agent = tool(trigger);
    const answers = await Promise.all(
      [0, 1].map(async () => await agent.prepare()({ phone: ANN, order: 'A-1' })),
    );
    expect(answerOf(answers[1] ?? '').orderId).toBe(answerOf(answers[0] ?? '').orderId);
    expect(service.seen.calls).toHaveLength(1);
  });

  it.each([[['callOutcome', 'summary']], [['orderNumber']]])(
    'hears of its call although the answer has none of the selected fields: %j',
    async (fields) => {
      const answer = await tool({ ...trigger, output: 'selectedFields', fields }).prepare()({
        phone: ANN,
      });
      const [call] = service.seen.calls;
      expect(answerOf(answer)).toMatchObject({ orderId: call?.orderId, customerPhone: ANN });
    },
  );

  it('reads no more of an outcome than was chosen for it, and always that there is none yet', async () => {
    const reading = {
      resource: 'call',
      operation: 'getOutcome',
      orderId: '={{ $fromAI("call") }}',
      output: 'selectedFields',
      fields: ['outcomeKey', 'transcript'],
    };
    const { orderId } = answerOf(await tool(trigger).prepare()({ phone: ANN }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const answer = answerOf(await tool(reading).prepare()({ call: orderId }));
    expect(answer).toEqual({
      outcomeKey: expect.any(String),
      transcript: expect.arrayContaining([expect.objectContaining({ speaker: 'agent' })]),
    });
    await service.close();
    service = await startCallingService({ speed: 1 });
    const open = answerOf(await tool(trigger).prepare()({ phone: ANN }));
    expect(answerOf(await tool(reading).prepare()({ call: open.orderId }))).toMatchObject({
      callStatus: 'in_progress',
      finished: false,
    });
    const raw = { ...reading, output: 'raw' };
    expect(answerOf(await tool(raw).prepare()({ call: open.orderId }))).toMatchObject({
      success: false,
    });
  });

  it('is not told "success: false" alone of a customer who was called, with raw output', async () => {
    await service.close();
    service = await startCallingService({ speed: 1 });
    const options = { maxWaitMinutes: 0 };
    const waiting = { ...trigger, operation: 'triggerAndWait', output: 'raw', options };
    const answer = answerOf(await tool(waiting).prepare()({ phone: ANN }));
    const [call] = service.seen.calls;
    expect(answer).toMatchObject({ success: false, orderId: call?.orderId, customerPhone: ANN });
  });

  it.each([
    ['one after the other', false],
    ['at the same time', true],
  ])('is told %s that a call by another script was not placed', async (_, isTogether) => {
    const agent = tool({ ...trigger, scriptId: '={{ $fromAI("script", "", "number") }}' });
    const [first, second] = [agent.prepare(), agent.prepare()];
    const answers = [first({ phone: ANN, script: 7 })];
    if (!isTogether) await answers[0];
    answers.push(second({ phone: ANN, script: 21 }));
    const [placed, other] = (await Promise.all(answers)).map(answerOf);
    expect(service.seen.calls.map(({ scriptId }) => scriptId)).toEqual([7]);
    expect(placed).toMatchObject({ scriptId: 7 });
    expect(other).toEqual({
      skipped: true,
      reason: 'earlierTry',
      customerPhone: ANN,
      orderId: placed?.orderId,
      message: `Nobody was called: this execution has called this person before (call ID ${String(placed?.orderId)})`,
    });
    // The same once more is the same call.
    expect(answerOf(await agent.prepare()({ phone: ANN, script: 7 }))).toEqual(placed);
  });

  it('has no call for a duplicate of another that fails at the same time', async () => {
    const duplicateKey = '={{ "order of two people" + ($json.no ?? 1) }}';
    const agent = tool({ ...trigger, rules: { preventDuplicates: true, duplicateKey } });
    service.faults.add({
      kind: 'status',
      status: 400,
      match: ({ body }) => (body as IDataObject).customerPhone === ANN,
    });
    const [first, second] = [agent.prepare(), agent.prepare()];
    const answers = await Promise.allSettled([first({ phone: ANN }), second({ phone: BO })]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect([...service.seen.callsByPhone]).toEqual([[BO, 1]]);
  });

  it.each([
    ['one after the other', false],
    ['at the same time', true],
  ])('calls no more people %s in an execution than "Max Calls" allows', async (_, isTogether) => {
    const agent = tool({ ...trigger, rules: { maxCalls: 1 } });
    const [first, second] = [agent.prepare(), agent.prepare()];
    const answers = [first({ phone: ANN })];
    if (!isTogether) await answers[0];
    answers.push(second({ phone: BO }));
    const settled = await Promise.allSettled(answers);
    expect([...service.seen.callsByPhone]).toEqual([[ANN, 1]]);
    expect(settled[1]?.status === 'rejected' && String(settled[1].reason)).toContain(
      'Nobody was called. 2 calls are more than "Max Calls" allows (1)',
    );
    // It is told of the same call again.
    expect(answerOf(await agent.prepare()({ phone: ANN }))).toMatchObject({ customerPhone: ANN });
  });

  const create = {
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    contactsSource: 'json',
    contactsJson: '={{ $fromAI("contacts", "", "json") }}',
    startImmediately: true,
    options: { contactsPerCampaign: 1 },
  };
  const listOf = (...phones: string[]) => phones.map((customerPhone) => ({ customerPhone }));

  it.each([
    ['one after the other', false],
    ['at the same time', true],
  ])('loads whom two lists name once, when it asks %s', async (_, isTogether) => {
    await service.close();
    service = await startCallingService({ answerDelayMs: 20 });
    const agent = tool(create);
    const [first, second] = [agent.prepare(), agent.prepare()];
    const CY = '+12025551003';
    const answers = [first({ contacts: listOf(ANN, BO) })];
    if (!isTogether) await answers[0];
    answers.push(second({ contacts: listOf(BO, CY) }));
    const told = (await Promise.all(answers)).map((text) => JSON.parse(text) as IDataObject[]);
    const loaded = service.seen.campaigns.flatMap(({ contacts }) => contacts);
    expect(loaded.map(({ phone }) => phone).sort()).toEqual([ANN, BO, CY]);
    // Each answer names the campaigns that hold its people.
    const [ofFirst, ofSecond] = told.map((items) => items.map(({ campaignId }) => campaignId));
    expect(ofFirst).toHaveLength(2);
    expect(ofSecond).toHaveLength(2);
    expect(new Set([...(ofFirst ?? []), ...(ofSecond ?? [])]).size).toBe(3);
  });

  it('does not load anybody of whom it is not known whether another list has loaded them', async () => {
    service.faults.add({ kind: 'reset', when: 'after', route: 'createCampaign' });
    const agent = tool(create);
    const [first, second] = [agent.prepare(), agent.prepare()];
    const answers = await Promise.allSettled([
      first({ contacts: listOf(ANN) }),
      second({ contacts: listOf(ANN, BO) }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const loaded = service.seen.campaigns.flatMap(({ contacts }) => contacts);
    expect(loaded.map(({ phone }) => phone)).toEqual([ANN]);
  });

  it.each<[string, Fault, object, RegExp]>([
    [
      'was not started, and why',
      {
        kind: 'status',
        status: 400,
        body: { success: false, message: 'Concurrency / pool exhausted' },
      },
      { state: 'not_started', started: false },
      /but not started: All channels/,
    ],
    [
      'may be running',
      { kind: 'reset', when: 'after' },
      { state: 'unknown', started: null },
      /may be running/,
    ],
  ])('is told that a campaign %s, whatever was chosen for it', async (_, fault, state, message) => {
    service.faults.add({ ...fault, route: 'controlCampaign' });
    const agent = tool({
      ...create,
      startImmediately: '={{ $fromAI("start", "", "boolean") }}',
      output: 'selectedFields',
      fields: ['campaignId'],
    });
    const asked = { contacts: listOf(ANN), start: true };
    const first = await agent.prepare()(asked).catch(String);
    const text = /may have been called/.test(first)
      ? await agent.prepare()({ ...asked, start: false })
      : first;
    const [campaign] = service.seen.campaigns;
    expect(answerOf(text)).toEqual({
      campaignId: campaign?.campaignId,
      ...state,
      message: expect.stringMatching(message),
    });
  });

  describe('that controls a campaign', () => {
    const contacts = Array.from({ length: 50 }, (_, index) => ({
      customerPhone: `+1202555${1000 + index}`,
    }));
    /** Starts, pauses and so on. */
    const controls = async (output: IDataObject = {}) => {
      await service.close();
      service = await startCallingService();
      await tool({
        ...create,
        contactsJson: JSON.stringify(contacts),
        startImmediately: false,
        options: {},
      }).prepare()({});
      const agent = tool({
        resource: 'campaign',
        operation: '={{ $fromAI("operation") }}',
        campaignId: service.seen.campaigns[0]?.campaignId,
        ...output,
      });
      return async (operation: string) => await agent.prepare()({ operation });
    };
    const state = () => service.seen.campaigns[0]?.state;

    it('is not told that it runs when it has paused it', async () => {
      const control = await controls();
      expect(answerOf(await control('start')).state).toBe('running');
      expect(answerOf(await control('pause')).state).toBe('paused');
      const again = await control('start').catch(String);
      expect(state()).toBe('paused');
      expect(again).not.toMatch(/"state":"running"/);
      expect(again).toMatch(/Nobody was called\. .*in state paused/);
      expect(answerOf(await control('resume')).state).toBe('running');
      expect(answerOf(await control('pause')).state).toBe('paused');
      expect(answerOf(await control('resume')).state).toBe('running');
      expect(state()).toBe('running');
    });

    it.each<[string, IDataObject]>([
      ['simplified', {}],
      ['raw', { output: 'raw' }],
      ['a selected field', { output: 'selectedFields', fields: ['campaignId'] }],
    ])('is not told again that calling has begun (%s)', async (_, output) => {
      const control = await controls(output);
      await control('start');
      Object.assign(service.seen.campaigns[0] ?? {}, { state: 'paused' });
      expect(answerOf(await control('start'))).toMatchObject({
        state: 'unknown',
        message: expect.stringMatching(
          /^An earlier request .* has started the campaign, and nothing/,
        ),
      });
      expect(state()).toBe('paused');
    });

    it('pauses it when it asks again after a request that was lost', async () => {
      const control = await controls();
      await control('start');
      service.faults.add({ kind: 'status', status: 503, route: 'controlCampaign', times: 4 });
      await expect(control('pause')).rejects.toThrow(/may still be calling people/);
      expect(answerOf(await control('pause')).state).toBe('paused');
      expect(state()).toBe('paused');
    });
  });
});
