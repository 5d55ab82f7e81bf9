import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import { fc, runs, seed } from '../generators';
import type { Campaign, CallingService } from '../service';
import { addFaults, drawnFaults, serviceWith, until, type DrawnFault } from './drawnFaults';
import { AgentTool, execute, isRetriable, type Execution, type ExecutionRequest } from './engine';

let warn: jest.SpyInstance;
beforeAll(() => {
  warn = jest.spyOn(Container.get(Logger), 'warn').mockImplementation(() => undefined);
});
afterAll(() => warn.mockRestore());

const SCENARIOS = runs(15, 120);

interface Contact {
  customerPhone: string;
  orderNumber: string;
}

/** What keeps a try from coming to its items. */
type Broken = 'nothing' | 'a mistake' | 'the credential';

/** What all scenarios have. */
interface Circumstances {
  faults: DrawnFault[];
  goesOn: boolean;
  retriesOnFail: boolean;
  /** The execution is cancelled when so many requests have arrived. */
  cancelAt: number | undefined;
  rounds: number | undefined;
}

interface CreateTry {
  isReversed: boolean;
  fewer: number;
  perCampaign: number;
  starts: boolean;
  broken: Broken;
}

interface Creation extends Circumstances {
  contacts: Contact[];
  tries: CreateTry[];
}

interface Control extends Circumstances {
  operation: 'start' | 'pause' | 'resume';
  campaigns: number;
  retries: Broken[];
}

const contact = fc.record<Contact>({
  customerPhone: fc.integer({ min: 0, max: 9 }).map((index) => `+1202555${1000 + index}`),
  orderNumber: fc.constantFrom('A-1', 'A-2', ''),
});
const broken = fc.constantFrom<Broken[]>(
  'nothing',
  'nothing',
  'nothing',
  'a mistake',
  'the credential',
);
const circumstances = {
  goesOn: fc.boolean(),
  retriesOnFail: fc.boolean(),
  cancelAt: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 3 }),
  rounds: fc.option(fc.constantFrom(2, 3), { nil: undefined, freq: 3 }),
};
const creation = fc.record<Creation>({
  ...circumstances,
  faults: drawnFaults(['createCampaign', 'controlCampaign'], 6),
  contacts: fc.array(contact, { minLength: 1, maxLength: 12 }),
  tries: fc
    .array(
      fc.record<CreateTry>({
        isReversed: fc.boolean(),
        fewer: fc.integer({ min: 0, max: 2 }),
        perCampaign: fc.integer({ min: 1, max: 6 }),
        starts: fc.constantFrom(true, true, false),
        broken,
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map(([first, ...more]) => [{ ...first, broken: 'nothing' } as CreateTry, ...more]),
});
const control = fc.record<Control>({
  ...circumstances,
  // In another round the service refuses what was done.
  rounds: fc.constant(undefined),
  operation: fc.constantFrom('start', 'pause', 'resume'),
  faults: drawnFaults(['controlCampaign'], 6),
  campaigns: fc.integer({ min: 1, max: 8 }),
  retries: fc.array(broken, { maxLength: 2 }),
});

function identityOf(phone: unknown, order: unknown): string {
  return JSON.stringify([phone, order ?? '']);
}

function counted(identities: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of identities) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Who is in a campaign. */
function loadedIn({ contacts }: Campaign): string[] {
  return contacts.map(({ phone, body }) => identityOf(phone, body.orderNumber));
}

const idsOf = (contacts: Contact[]) =>
  contacts.map(({ customerPhone, orderNumber }) => identityOf(customerPhone, orderNumber));

/** The phone of an id. */
const personIn = (id: string) => (JSON.parse(id) as string[])[0] ?? '';

/** How often a list calls each: once for an order, without one as often as it stands there. */
function callsOf(contacts: Contact[]): Map<string, number> {
  const calls = counted(idsOf(contacts));
  for (const { customerPhone, orderNumber } of contacts) {
    if (orderNumber !== '') calls.set(identityOf(customerPhone, orderNumber), 1);
  }
  return calls;
}

/** Everything that anybody was told of campaigns. */
class Told {
  readonly ids = new Set<number>();
  /** Campaigns of which it was said that they call people, or may. */
  readonly running = new Set<number>();
  hasMaybe = false;

  add({ items, error }: Execution): void {
    for (const { json } of items) {
      if (typeof json.campaignId === 'number') this.ids.add(json.campaignId);
      if (json.started === true || json.state === 'running')
        this.running.add(Number(json.campaignId));
      this.addText(String(json.error ?? ''));
    }
    this.addText(`${error?.message ?? ''} ${error?.description ?? ''}`);
    for (const [text, details] of warn.mock.calls as Array<[string, IDataObject | undefined]>) {
      this.addText(text);
      for (const id of (details?.campaignIds ?? []) as number[]) this.ids.add(id);
    }
    warn.mockClear();
  }

  private addText(text: string): void {
    if (/may have|may be|may exist/.test(text)) this.hasMaybe = true;
    for (const [, id, state] of text.matchAll(/campaign (\d+) \(([^)]*)\)/g)) {
      this.ids.add(Number(id));
      if (state !== 'not_started') this.running.add(Number(id));
    }
    for (const [, ids = ''] of text.matchAll(/(?:call people now:|campaign IDs) ([\d, ]+)/g)) {
      for (const id of ids.split(',')) this.running.add(Number(id));
    }
  }
}

const FIRST_WORDS =
  /^((Nobody was called( by this; the campaigns? may be calling people)?|Somebody may have been called( by an earlier try| earlier in this execution)?|(1 campaign was|\d+ campaigns were) started( by an earlier try| earlier in this execution)?(, and \d+ more may have been)?(: campaign IDs [\d, ]+)?|(1 campaign is|\d+ campaigns are) calling people now)\. ){1,2}/;

const runningIn = (service: CallingService) =>
  service.seen.campaigns.filter(({ state }) => state !== 'not_started' && state !== 'paused');

/** Runs all tries of a scenario; each is checked by what the service has of it. */
async function tryAll(
  service: CallingService,
  { goesOn, retriesOnFail, cancelAt, rounds }: Circumstances,
  tries: Array<{ parameters: IDataObject; items?: ExecutionRequest['items']; broken: Broken }>,
  checkTry: (execution: Execution, number: number) => void,
): Promise<Told> {
  const told = new Told();
  warn.mockClear();
  const arrived = () =>
    service.seen.requests.createCampaign + service.seen.requests.controlCampaign;
  const before = arrived();
  let last: Execution | undefined;
  for (const [number, one] of tries.entries()) {
    if (last !== undefined && !isRetriable(last)) break;
    const isCancelled = number === 0 && cancelAt !== undefined;
    const execution = await execute({
      parameters: one.parameters,
      ...(one.items === undefined ? {} : { items: one.items }),
      credential: {
        baseUrl: one.broken === 'the credential' ? 'nowhere' : service.baseUrl,
        apiKey: 'test-key',
      },
      settings: {
        ...(goesOn ? { onError: 'continueRegularOutput' } : {}),
        ...(retriesOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {}),
      },
      ...(rounds === undefined ? {} : { rounds }),
      ...(isCancelled ? { cancelWhen: () => arrived() - before >= cancelAt } : {}),
      ...(last === undefined ? {} : { retryOf: last }),
    });
    await until(() => service.seen.inFlight.all === 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const toldBefore = new Set(told.running);
    for (const { json } of execution.items) {
      if (json.started === true || json.state === 'running')
        toldBefore.add(Number(json.campaignId));
    }
    told.add(execution);
    const { error, run } = execution;
    if (error !== undefined && run.status !== 'canceled' && one.parameters.operation !== 'pause') {
      expect(error.message).toMatch(FIRST_WORDS);
      if (error.message.startsWith('Nobody was called. ')) {
        // By no try and in no round of a loop: whoever believes it executes all of it again. With
        // "continue on error" an item speaks of itself alone.
        const before = goesOn && rounds !== undefined ? toldBefore : new Set<number>();
        const running = runningIn(service).filter(({ campaignId }) => !before.has(campaignId));
        expect(running.map(({ campaignId }) => campaignId)).toEqual([]);
      }
    }
    checkTry(execution, number);
    last = execution;
  }
  return told;
}

/** What people were told of the campaigns that exist, and of those that call people. */
function checkTold(service: CallingService, told: Told): void {
  const { campaigns } = service.seen;
  const ids = new Set(campaigns.map(({ campaignId }) => campaignId));
  expect([...told.ids].filter((id) => !ids.has(id))).toEqual([]);
  if (told.hasMaybe) return;
  expect([...ids].filter((id) => !told.ids.has(id))).toEqual([]);
  const untold = runningIn(service).filter(({ campaignId }) => !told.running.has(campaignId));
  expect(untold.map(({ campaignId }) => campaignId)).toEqual([]);
}

async function checkCreation({ contacts, tries, ...around }: Creation): Promise<void> {
  const service = await serviceWith(around.faults);
  try {
    const lists = tries.map(({ isReversed, fewer }) => {
      const kept = contacts.slice(0, Math.max(1, contacts.length - fewer));
      return isReversed ? kept.reverse() : kept;
    });
    const told = await tryAll(
      service,
      around,
      tries.map(({ perCampaign, starts, broken: isBroken }, number) => ({
        broken: isBroken,
        parameters: {
          resource: 'campaign',
          operation: 'create',
          scriptId: isBroken === 'a mistake' ? 'none' : 7,
          campaignName: 'Orders',
          contactsSource: 'json',
          contactsJson: JSON.stringify(lists[number]),
          startImmediately: starts,
          options: { contactsPerCampaign: perCampaign, requestTimeoutSeconds: 5 },
        },
      })),
      ({ items, error, run }, number) => {
        const book = new Map(service.seen.campaigns.map((one) => [one.campaignId, one]));
        for (const { json } of items) {
          const campaign = book.get(Number(json.campaignId));
          if (campaign === undefined) continue;
          if (json.started === true) expect(campaign.state).not.toBe('not_started');
          if (json.state === 'not_started') expect(campaign.state).toBe('not_started');
        }
        const isWhole = items.every(({ json }) => json.error === undefined);
        // A loop whose rounds were all done does not come to the node again.
        if (items.length === 0 && number > 0) return;
        if (error !== undefined || run.status !== 'success' || !isWhole) return;
        const named = new Set(items.map(({ json }) => Number(json.campaignId)));
        const reached = counted([...named].flatMap((id) => loadedIn(book.get(id) as Campaign)));
        const forgotten = [...callsOf(lists[number] ?? [])].filter(
          ([who, count]) => count > (reached.get(who) ?? 0),
        );
        expect(forgotten).toEqual([]);
      },
    );
    checkTold(service, told);
    const allowed = callsOf(contacts);
    const loaded = counted(service.seen.campaigns.flatMap(loadedIn));
    const isTwice = ([who, count]: [string, number]) =>
      count > (allowed.get(who) ?? 0) * (around.rounds ?? 1);
    expect([...loaded].filter(isTwice)).toEqual([]);
  } finally {
    await service.close();
  }
}

/** Makes campaigns to which the operation can be done. */
async function campaignsFor(
  { baseUrl }: CallingService,
  { campaigns, operation }: Control,
): Promise<number[]> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': 'test-key' };
    const url = `${baseUrl}/api/v1/campaigns${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as { campaign_id: number };
  };
  const ids: number[] = [];
  for (let index = 0; index < campaigns; index++) {
    // As many contacts as are not called in a while.
    const contacts = Array.from({ length: 2000 }, () => ({
      customerPhone: `+1202555${1000 + index}`,
    }));
    const { campaign_id: id } = await post('', { scriptId: 7, contacts, maxConcurrency: 1 });
    if (operation !== 'start') await post(`/${id}/control`, { action: 'start' });
    if (operation === 'resume') await post(`/${id}/control`, { action: 'pause' });
    ids.push(id);
  }
  return ids;
}

async function checkControl(one: Control): Promise<void> {
  const { operation, retries } = one;
  const kept: string[] = [];
  const service = await serviceWith([]);
  const ids = await campaignsFor(service, one);
  service.seen.resetRequests();
  const stateBefore = service.seen.campaigns[0]?.state;
  addFaults(service, one.faults, ({ url }) => kept.push(url));
  try {
    const told = await tryAll(
      service,
      one,
      (['nothing', ...retries] as Broken[]).map((isBroken, number) => ({
        broken: isBroken,
        ...(number === 0 ? { items: ids.map((id) => ({ json: { id } })) } : {}),
        parameters: {
          resource: 'campaign',
          operation,
          campaignId: isBroken === 'a mistake' ? 'none' : '={{ $json.id }}',
        },
      })),
      ({ items, error, run }) => {
        if (error === undefined && run.status === 'success') {
          expect(items.length % ids.length).toBe(0);
        }
      },
    );
    const changed = service.seen.campaigns.filter(({ state }) => state !== stateBefore);
    const untold = changed.filter(
      ({ campaignId }) => !told.ids.has(campaignId) && !told.running.has(campaignId),
    );
    if (!told.hasMaybe && operation !== 'pause') expect(untold).toEqual([]);
    // What ends calling is sent until it is known to have ended.
    if (operation === 'pause') return;
    // What was done, or may have been, is not done again.
    const acted = counted(service.seen.received.map(({ url }) => url));
    for (const url of kept) acted.set(url, (acted.get(url) ?? 0) - 1);
    expect([...acted].filter(([, count]) => count > 1)).toEqual([]);
  } finally {
    await service.close();
  }
}

describe(`executions with campaigns (seed ${seed})`, () => {
  it('load nobody twice, forget nobody and tell everything', async () => {
    await fc.assert(fc.asyncProperty(creation, checkCreation), { numRuns: SCENARIOS });
  });

  it('start and resume each campaign once, pause it, and tell it', async () => {
    await fc.assert(fc.asyncProperty(control, checkControl), { numRuns: SCENARIOS });
  });

  it('of an AI agent load nobody twice who is in several of its lists', async () => {
    const drawn = fc.record({
      lists: fc.array(
        fc.record({
          contacts: fc.uniqueArray(contact, {
            minLength: 1,
            maxLength: 5,
            selector: (one) => identityOf(one.customerPhone, one.orderNumber),
          }),
          isTogether: fc.boolean(),
          isPrepared: fc.boolean(),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      faults: creation.map(({ faults }) => faults),
      retriesOnFail: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ lists, faults, retriesOnFail }) => {
        const service = await serviceWith(faults);
        const agent = new AgentTool({
          parameters: {
            resource: 'campaign',
            operation: 'create',
            scriptId: 7,
            contactsSource: 'json',
            contactsJson: '={{ $fromAI("contacts", "", "json") }}',
            startImmediately: true,
            options: { contactsPerCampaign: 2 },
          },
          credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
          settings: retriesOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {},
        });
        try {
          const early = lists.map(({ isPrepared }) => (isPrepared ? agent.prepare() : undefined));
          let under: Array<Promise<void>> = [];
          for (const [index, { contacts, isTogether }] of lists.entries()) {
            const invoke = early[index] ?? agent.prepare();
            const answer = invoke({ contacts: contacts as unknown as IDataObject[] }).then(
              (text) => {
                const named = new Set(
                  (JSON.parse(text) as IDataObject[]).map(({ campaignId }) => campaignId),
                );
                const holders = service.seen.campaigns.filter((one) => named.has(one.campaignId));
                const reached = new Set(holders.flatMap(loadedIn).map(personIn));
                expect(idsOf(contacts).filter((who) => !reached.has(personIn(who)))).toEqual([]);
              },
              (error: Error) => {
                expect(error.message).toMatch(FIRST_WORDS);
              },
            );
            under.push(answer);
            if (isTogether) continue;
            await Promise.all(under);
            under = [];
          }
          await Promise.all(under);
          const loaded = counted(service.seen.campaigns.flatMap(loadedIn).map(personIn));
          expect([...loaded].filter(([, count]) => count > 1)).toEqual([]);
        } finally {
          await service.close();
        }
      }),
      { numRuns: SCENARIOS },
    );
  });
});
