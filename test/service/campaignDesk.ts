import type { CallDesk } from './callDesk';
import { advance, setRunning, TRANSITIONS, type Campaign, type Dial } from './campaign';
import { refuseLacking } from './checks';
import { readContacts } from './contacts';
import { isBlank, refuse, succeed, textOf, type Body, type Reply } from './reply';
import type { Scripts } from './scripts';
import type { Seen } from './seen';
import type { Switches } from './switches';
import { Wording } from './wording';

export interface CampaignDeskOptions {
  /** Channels that running campaigns share, whichever key made them. */
  channelPool: number;
  /** The most channels that one campaign gets, whatever it asks for. */
  concurrencyCap: number;
  /** The service's clock in milliseconds. */
  now: () => number;
}

const KINDS = ['cod', 'list', 'ndr'];
const ACCOUNT_DEFAULT_CONCURRENCY = 5;
/** Far from the ids of calls, so that one taken for the other is not found. */
const FIRST_ID = 900_001;

const isConcurrency = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;

/** Campaigns, apart from HTTP: creating them, controlling them, dialling for them. */
export class CampaignDesk {
  private readonly campaigns: Campaign[] = [];
  private readonly wording: Wording;

  constructor(
    private readonly options: CampaignDeskOptions,
    private readonly scripts: Scripts,
    private readonly switches: Switches,
    private readonly calls: CallDesk,
    private readonly seen: Seen,
  ) {
    this.wording = new Wording(switches);
  }

  /** "Create a campaign". */
  create(key: string, body: Body): Reply {
    const { scriptId } = body;
    if (!this.scripts.has(scriptId)) return refuse(400, 'scriptId is required');
    const kind = textOf(body.kind) ?? 'cod';
    if (!KINDS.includes(kind)) return refuse(400, `kind must be one of ${KINDS.join(', ')}`);
    const asked = body.maxConcurrency ?? ACCOUNT_DEFAULT_CONCURRENCY;
    if (!isConcurrency(asked)) return refuse(400, 'maxConcurrency must be a whole number above 0');
    const contacts = readContacts(body);
    if (!Array.isArray(contacts)) return contacts;
    const missing = contacts.flatMap((contact) =>
      this.scripts.missing(scriptId, { ...body, ...withoutBlanks(contact.body) }),
    );
    const lacks = {
      phone: contacts.some(({ phone }) => phone === ''),
      variables: [...new Set(missing)],
    };
    const refusal = refuseLacking(lacks, this.switches.checks);
    if (refusal !== undefined) return refusal;

    const isStarted = body.startImmediately === true;
    const channels = Math.min(asked, this.options.concurrencyCap);
    const free = this.freeChannels();
    if (isStarted && free === 0) return refuse(400, 'Concurrency / pool exhausted');
    const campaignId = FIRST_ID + this.campaigns.length;
    const campaign: Campaign = {
      campaignId,
      key,
      scriptId,
      name: textOf(body.name) ?? textOf(body.campaignName) ?? `Campaign ${campaignId}`,
      kind,
      state: 'not_started',
      contacts,
      body,
      maxConcurrency: channels,
      dialled: 0,
      channels: [],
    };
    this.campaigns.push(campaign);
    this.seen.addCampaign(campaign);
    if (isStarted) setRunning(campaign, this.options.now(), Math.min(channels, free));
    return succeed({
      action: 'create_campaign',
      kind,
      ...this.wording.campaignId(campaignId),
      ...this.wording.campaignName(campaign.name),
      state: campaign.state,
      contact_count: contacts.length,
      started: isStarted,
      message: isStarted ? 'Campaign created and started' : 'Campaign created',
    });
  }

  /** "Control a campaign". */
  control(key: string, id: string, body: Body): Reply {
    const campaign = this.campaigns.find((one) => String(one.campaignId) === id && one.key === key);
    if (campaign === undefined) return refuse(404, 'Campaign not found');
    const action = String(body.action);
    const transition = TRANSITIONS.get(action);
    if (transition === undefined || (action === 'stop' && this.switches.stop === 'refused')) {
      return refuse(400, 'action must be one of start, pause, resume');
    }
    this.advance();
    if (campaign.state !== transition.from) {
      return refuse(400, `Cannot ${action} a campaign in state ${campaign.state}`);
    }
    if (transition.to === 'running') {
      const free = this.freeChannels();
      if (free === 0) return refuse(400, 'Concurrency / pool exhausted');
      setRunning(campaign, this.options.now(), Math.min(campaign.maxConcurrency, free));
    } else {
      campaign.state = transition.to;
    }
    return succeed({
      action: `${action}_campaign`,
      ...this.wording.campaignId(campaign.campaignId),
      ...this.wording.campaignState(campaign.state),
      message: `Campaign is ${campaign.state}`,
    });
  }

  /** Brings all campaigns to the present. */
  advance(): void {
    const now = this.options.now();
    for (const campaign of this.campaigns) advance(campaign, now, this.dial);
  }

  forget(): void {
    this.campaigns.length = 0;
  }

  private readonly dial: Dial = ({ key, scriptId, campaignId, body }, contact, at) => {
    const given = { ...variablesOf(body), ...withoutBlanks(contact.body) };
    const orderNumber = textOf(contact.body.orderNumber);
    const { phone } = contact;
    return this.calls.place({ key, scriptId, phone, orderNumber, body: given, campaignId }, at)
      .endsAt;
  };

  private freeChannels(): number {
    this.advance();
    const used = this.campaigns
      .filter(({ state }) => state === 'running')
      .reduce((sum, { channels }) => sum + channels.length, 0);
    return Math.max(0, this.options.channelPool - used);
  }
}

/** An empty CSV cell does not take the place of a variable given for the whole campaign. */
function withoutBlanks(fields: Body): Body {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isBlank(value)));
}

/** The fields of a create request that are about calls, not about the campaign. */
function variablesOf(body: Body): Body {
  const own = new Set(['scriptId', 'contacts', 'csvText', 'phoneColumn', 'name', 'campaignName']);
  for (const name of ['kind', 'startImmediately', 'maxConcurrency']) own.add(name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !own.has(name)));
}
