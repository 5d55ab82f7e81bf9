import { switchPositions, type CallingService, type Switches } from '../../service';
import { CALL, Clock, contacts, control, create, endAll, outcome, start, trigger } from './client';

afterEach(endAll);

/** Every kind of answer, with the numbers that tests need. */
async function answers(service: CallingService, clock: Clock) {
  const triggered = (await trigger(service)).body;
  clock.pass(20);
  const created = (await create(service, { scriptId: 7, name: 'A', contacts: contacts(1) })).body;
  const [campaign] = service.seen.campaigns;
  return {
    triggered,
    created,
    outcome: (await outcome(service, service.seen.calls[0]?.orderId)).body,
    started: (await control(service, campaign?.campaignId, 'start')).body,
    stopped: (await control(service, campaign?.campaignId, 'stop')).body,
    lacking: (await trigger(service, { scriptId: 12 })).body.message,
    variables: (await trigger(service, { ...CALL, scriptId: 12 })).body.success,
  };
}

type Answers = Awaited<ReturnType<typeof answers>>;
type Check = (all: Answers) => void;

const lastTime = ({ outcome: { transcript } }: Answers) =>
  (transcript as Array<{ timestamp: number }>).at(-1)?.timestamp ?? 0;

const CHECKS: { [K in keyof Switches]: Record<Switches[K], Check> } = {
  ids: {
    number: (all) => {
      expect(all.triggered.order_id).toBe(4001);
      expect(all.outcome.orderId).toBe(4001);
    },
    string: (all) => {
      expect(all.triggered.order_id).toBe('4001');
      expect(all.outcome.orderId).toBe('4001');
    },
  },
  campaignIds: {
    number: (all) => {
      expect(all.created.campaign_id).toEqual(expect.any(Number));
      expect(all.started.campaign_id).toBe(all.created.campaign_id);
    },
    string: (all) => {
      expect(all.created.campaign_id).toMatch(/^\d+$/);
      expect(all.started.campaign_id).toBe(all.created.campaign_id);
    },
  },
  orderIdField: {
    documented: (all) => {
      expect(all.triggered).toHaveProperty('order_id');
      expect(all.outcome).toHaveProperty('orderId');
    },
    camel: (all) => {
      expect(all.triggered).toHaveProperty('orderId');
      expect(all.triggered).not.toHaveProperty('order_id');
    },
    snake: (all) => {
      expect(all.outcome).toHaveProperty('order_id');
      expect(all.outcome).not.toHaveProperty('orderId');
    },
  },
  callStatusField: {
    documented: (all) => {
      expect(all.triggered).toHaveProperty('call_status');
      expect(all.outcome).toHaveProperty('callStatus');
    },
    camel: (all) => {
      expect(all.triggered).toHaveProperty('callStatus');
      expect(all.triggered).not.toHaveProperty('call_status');
    },
    snake: (all) => {
      expect(all.outcome).toHaveProperty('call_status');
      expect(all.outcome).not.toHaveProperty('callStatus');
    },
  },
  stateField: {
    state: (all) => expect(all.started).toHaveProperty('state', 'running'),
    status: (all) => {
      expect(all.started).toHaveProperty('status', 'running');
      expect(all.started).not.toHaveProperty('state');
    },
  },
  nameField: {
    name: (all) => expect(all.created).toHaveProperty('name', 'A'),
    campaignName: (all) => {
      expect(all.created).toHaveProperty('campaignName', 'A');
      expect(all.created).not.toHaveProperty('name');
    },
  },
  transcriptTime: {
    ms: (all) => expect(lastTime(all)).toBeGreaterThan(1000),
    s: (all) => {
      expect(lastTime(all)).toBeGreaterThan(1);
      expect(lastTime(all)).toBeLessThan(Number(all.outcome.callDurationSec));
    },
  },
  labels: {
    documented: (all) => expect(all.outcome.callOutcome).toBe('Order confirmed'),
    lower: (all) => expect(all.outcome.callOutcome).toBe('order confirmed'),
    upper: (all) => expect(all.outcome.callOutcome).toBe('ORDER CONFIRMED'),
  },
  checks: {
    variablesFirst: (all) => {
      expect(all.lacking).toBe('Missing required script variables: brand_name, order_amount');
      expect(all.variables).toBe(false);
    },
    phoneFirst: (all) => {
      expect(all.lacking).toBe('customerPhone is required');
      expect(all.variables).toBe(false);
    },
    scriptOnly: (all) => {
      expect(all.lacking).toBe('customerPhone is required');
      expect(all.variables).toBe(true);
    },
  },
  stop: {
    accepted: (all) => expect(all.stopped).toMatchObject({ success: true, state: 'stopped' }),
    refused: (all) => expect(all.stopped).toMatchObject({ success: false }),
  },
};

const all = Object.entries(switchPositions).flatMap(([name, positions]) =>
  positions.map((position) => [name, position] as const),
);

const checkOf = (name: string, position: string): Check | undefined =>
  (CHECKS as Record<string, Record<string, Check>>)[name]?.[position];

const settings = (clock: Clock) => ({
  clock: clock.now,
  outcomeFor: () => ({ status: 'completed', label: 'Order confirmed', talkSec: 14 }),
});

test.each(all)('%s: %s', async (name, position) => {
  const clock = new Clock();
  const service = await start({ ...settings(clock), switches: { [name]: position } });
  const check = checkOf(name, position);
  expect(check).toBeDefined();
  check?.(await answers(service, clock));
});

test('a switch can be turned while the service runs, and a reset turns it back', async () => {
  const clock = new Clock();
  const service = await start({ ...settings(clock), switches: { labels: 'upper' } });
  service.switches.labels = 'lower';
  service.switches.ids = 'string';
  expect((await answers(service, clock)).outcome).toMatchObject({
    orderId: '4001',
    callOutcome: 'order confirmed',
  });
  service.reset();
  expect(service.switches).toMatchObject({ labels: 'upper', ids: 'number' });
});

test('the first position of every switch is the one that a service starts with', async () => {
  const service = await start();
  expect(service.switches).toEqual(
    Object.fromEntries(Object.entries(switchPositions).map(([name, [first]]) => [name, first])),
  );
});
