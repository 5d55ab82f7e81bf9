import { fc, seed } from '../generators';
import { startCallingService, switchPositions, type Switches } from '../service';
import { callTo, campaignTo, clientOf, failureOf, PHONE } from './client';
import { stoppedClock } from './clock';

const pass = stoppedClock();

/** What every method of the client learns from a service whose switches are so. */
async function learntFrom(switches: Partial<Switches>) {
  const service = await startCallingService({
    switches,
    outcomeFor: () => ({
      lastsSec: 20,
      status: 'completed',
      label: 'Order confirmed',
      talkSec: 14,
      turns: [
        { speaker: 'system', text: 'Call connected', atSec: 0 },
        { speaker: 'agent', text: 'Hello', atSec: 1.5 },
        { speaker: 'customer', text: 'Yes', atSec: 9.2 },
      ],
    }),
  });
  try {
    const client = clientOf(service);
    await client.checkAccess();
    const placed = await client.triggerCall(callTo(PHONE, { orderNumber: 'A-17' }));
    const early = await client.readOutcome(placed.result.orderId);
    pass(20);
    const late = await client.readOutcome(placed.result.orderId);
    if (!late.finished) throw new Error('The call has not ended');
    const created = await client.createCampaign(campaignTo([PHONE], { name: 'May' }));
    const { campaignId } = created.result;
    const controlled = [];
    for (const action of ['start', 'pause', 'resume'] as const) {
      controlled.push((await client.controlCampaign(campaignId, action)).result);
    }
    const stopped = client.controlCampaign(campaignId, 'stop');
    return {
      placed: placed.result,
      early: early.finished,
      outcome: late.result,
      created: created.result,
      controlled,
      noPhone: (await failureOf(client.triggerCall(callTo('')))).kind,
      noOrder: (await failureOf(client.readOutcome(1))).kind,
      noCampaign: (await failureOf(client.controlCampaign(1, 'start'))).kind,
      stopped:
        service.switches.stop === 'accepted'
          ? (await stopped).result.state
          : (await failureOf(stopped)).kind,
      variables: await client.askScriptVariables(12),
      calls: [...service.seen.callsByPhone],
    };
  } finally {
    await service.close();
  }
}

/** What is learnt of documented switches, but for what a position changes in the thing itself. */
async function expectedFrom({ labels, stop, checks }: Partial<Switches>) {
  const documented = await learntFrom({});
  const names = ['brand_name', 'order_amount'];
  const label = {
    documented: 'Order confirmed',
    lower: 'order confirmed',
    upper: 'ORDER CONFIRMED',
  };
  return {
    ...documented,
    outcome: { ...documented.outcome, callOutcome: label[labels ?? 'documented'] },
    stopped: stop === 'refused' ? 'stopRefused' : 'stopped',
    variables: (checks ?? 'variablesFirst') === 'variablesFirst' ? names : undefined,
  };
}

it('a service in its documented form is understood', async () => {
  expect(await learntFrom({})).toMatchObject({
    placed: { orderId: 4001, scriptId: 7, callStatus: 'in_progress' },
    early: false,
    outcome: {
      orderId: 4001,
      orderNumber: 'A-17',
      callStatus: 'completed',
      callOutcome: 'Order confirmed',
      outcomeKey: 'order_confirmed',
      callDurationSec: 14,
      transcript: [
        { speaker: 'system', offsetSec: 0 },
        { speaker: 'agent', offsetSec: 1.5 },
        { speaker: 'customer', offsetSec: 9.2 },
      ],
      transcriptText: 'System: Call connected\nAgent: Hello\nCustomer: Yes',
    },
    created: { campaignId: 900_001, name: 'May', state: 'not_started' },
    controlled: [{ state: 'running' }, { state: 'paused' }, { state: 'running' }],
    noPhone: 'phoneRefused',
    noOrder: 'orderNotFound',
    noCampaign: 'campaignNotFound',
    stopped: 'stopped',
    variables: ['brand_name', 'order_amount'],
    calls: [[PHONE, 2]],
  });
});

const positions = (Object.keys(switchPositions) as Array<keyof Switches>).flatMap((name) =>
  switchPositions[name].map((position): [string, Partial<Switches>] => [
    `${name} is ${position}`,
    { [name]: position },
  ]),
);

it.each(positions)('a service whose %s is understood in the same way', async (_name, switches) => {
  expect(await learntFrom(switches)).toEqual(await expectedFrom(switches));
});

it(`a service with any combination of switches is understood (seed ${seed})`, async () => {
  const combination: fc.Arbitrary<Switches> = fc.record({
    ids: fc.constantFrom(...switchPositions.ids),
    campaignIds: fc.constantFrom(...switchPositions.campaignIds),
    orderIdField: fc.constantFrom(...switchPositions.orderIdField),
    callStatusField: fc.constantFrom(...switchPositions.callStatusField),
    stateField: fc.constantFrom(...switchPositions.stateField),
    nameField: fc.constantFrom(...switchPositions.nameField),
    transcriptTime: fc.constantFrom(...switchPositions.transcriptTime),
    labels: fc.constantFrom(...switchPositions.labels),
    checks: fc.constantFrom(...switchPositions.checks),
    stop: fc.constantFrom(...switchPositions.stop),
  });
  await fc.assert(
    fc.asyncProperty(combination, async (switches) => {
      expect(await learntFrom(switches)).toEqual(await expectedFrom(switches));
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
