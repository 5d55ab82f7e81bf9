import type { IDataObject } from 'n8n-workflow';
import { onClockOf } from '../../clocks';
import type { UnusableContact } from '../../contacts/contact';
import type { AskHours } from '../../rules/callingHours';
import { RuleObjection, type Objection } from '../../rules/rule';
import { dryRunItem, nextAllowed } from '../../rules/skipped';
import type { Read } from '../../service/callingService';
import type { Campaign, CampaignControl, Contact } from '../../service/campaign';
import { STATE_AFTER } from '../../service/campaignState';
import { CallingServiceError, mayHaveBeenProcessed } from '../../service/failure';
import { LOOK_BEFORE_REPEATING, MAY_HAVE_HAPPENED } from '../../service/purpose';
import type { OperationExecution } from '../execution';
import { DoneElsewhere, DoneOtherwise, type Remembered } from '../memory/remembered';
import { shown } from '../../presentation';
import { createdMessage, type Start } from './campaignMessage';
import type { CampaignDryRun, CreatedCampaignOutput } from './campaignOutput';
import { control, controlIdentity, isRefusedByService } from './control';
import { LoadedContacts, noteOf, type Difference } from './loadedContacts';
import { splitContacts } from './parts';
import type { Plan } from './plan';

/** The subject under which the memory stores every created campaign. */
export const CREATION = 'create campaign';

export interface CreatedPart extends Start {
  read: Read<Campaign>;
  objection?: Objection;
  isEarlier?: true;
  /** How it differs from what is asked for now, when an earlier request has made it. */
  difference?: Difference | undefined;
  /** It was made with another account, where nothing is done now. */
  isElsewhere?: boolean;
}

function partOf(read: Read<Campaign>): CreatedPart {
  // A start changes the result.
  return { read: { ...read, result: { ...read.result } }, mayRun: read.result.started === null };
}

function markStarted(part: CreatedPart, state: string): void {
  part.mayRun = false;
  Object.assign(part.read.result, { state, started: true });
}

/** The result of a plan: the campaigns that exist, and the failure, if any. */
export interface Result {
  created: CreatedPart[];
  /** How many campaigns there should be. */
  parts: number;
  failure?: unknown;
  /** Whether an earlier try has failed so, if at all: that says nothing about other lists. */
  isToldAgain: boolean;
}

/** The campaigns that earlier tries of this execution have created, or may have. */
export class EarlierCampaigns {
  private loaded: LoadedContacts | undefined;
  private readonly remembered: Remembered[];

  constructor(private readonly execution: OperationExecution) {
    const { memory } = execution;
    this.remembered = memory.earlier(CREATION);
  }

  /**
   * Adds the campaigns that hold contacts of a list to `created`.
   *
   * @returns the other contacts, which have not been loaded
   * @throws CallingServiceError as the earlier try did, when nobody knows whether one exists
   * @throws DoneElsewhere when one was made with another account
   * @throws DoneOtherwise when one holds a person of the other contacts
   */
  async take({ contacts, base }: Plan, created: CreatedPart[]): Promise<Contact[]> {
    this.loaded ??= await LoadedContacts.of(this.remembered.map(({ note }) => note));
    const { fresh, holders } = await this.loaded.part(contacts, base);
    for (const { campaign, difference } of holders) {
      const known = this.remembered[campaign] as Remembered;
      const read = await known.told<Read<Campaign>>();
      const { isElsewhere } = known;
      const part = { ...partOf(read), isEarlier: true as const, difference, isElsewhere };
      created.push(part);
      await this.recallStart(part, known.madeWith);
    }
    const elsewhere = created.filter(({ isElsewhere }) => isElsewhere);
    if (elsewhere.length === 0) {
      await this.refuseSamePeople(this.loaded, fresh);
      return fresh;
    }
    const ids = elsewhere.map(({ read }) => read.result.campaignId).join(', ');
    throw new DoneElsewhere(`Contacts of this list were loaded into campaign ${ids}`);
  }

  /**
   * Refuses to load people again whom a campaign holds as contacts that nobody asks for any more: they may
   * be the same contacts under other order numbers.
   *
   * @throws DoneOtherwise
   */
  private async refuseSamePeople(loaded: LoadedContacts, fresh: Contact[]): Promise<void> {
    const same = await loaded.samePeople(fresh);
    if (same === undefined) return;
    const { result } = await (this.remembered[same.campaign] as Remembered).told<Read<Campaign>>();
    const { people } = same;
    const were = people === 1 ? '1 person of this list was' : `${people} people of this list were`;
    throw new DoneOtherwise(`${were} loaded into campaign ${result.campaignId}`);
  }

  /** Notes whether earlier tries started it, or may have, even when this one is not to start it. */
  private async recallStart(part: CreatedPart, account: string | undefined): Promise<void> {
    const { subject } = controlIdentity(account, part.read.result.campaignId, 'start');
    const start = this.execution.memory.earlier(subject).at(-1);
    if (start?.isOver) {
      part.mayRun = true;
      return;
    }
    await start?.told<Read<CampaignControl>>().then(
      ({ result: { state } }) => markStarted(part, state),
      () => (part.mayRun = true),
    );
  }
}

/** Whether a campaign runs, or may run, although the service has refused to start it. */
function mayRunAlready({ isEarlier }: CreatedPart, failure: CallingServiceError): boolean {
  if (failure.campaignState !== undefined) return failure.campaignState === STATE_AFTER.start;
  // Another person or workflow may have started it meanwhile.
  return isEarlier === true && failure.kind !== 'poolExhausted';
}

/** Why a campaign stays unstarted and can be started later; undefined for an error. */
function reasonToWait(part: CreatedPart, failure: unknown): string | undefined {
  if (failure instanceof RuleObjection) {
    const { nextAllowedAt, timezone = 'UTC' } = failure.objection;
    const minute = nextAllowedAt && onClockOf(timezone, nextAllowedAt).slice(0, 16);
    const when = minute === undefined ? '' : ` from ${minute.replace('T', ' ')} (${timezone}) on`;
    return `it is outside the calling hours. Start it with Campaign > Start${when}.`;
  }
  if (!isRefusedByService(failure) || failure.mayHaveBeenProcessed) return undefined;
  if (mayRunAlready(part, failure)) return undefined;
  return `${failure.message}. ${failure.advice} Then start it with Campaign > Start.`;
}

function nameOfPart({ name }: Plan, part: number, parts: number): { name?: string } {
  if (parts > 1) return { name: `${name ?? 'Campaign'} (${part}/${parts})` };
  return name === undefined ? {} : { name };
}

/**
 * Starts a campaign, unless it differs from what is asked for now. Closed hours or a refusal of the
 * service leave it unstarted.
 *
 * @returns the failure of an earlier try, whose campaign may run
 * @throws any other failure: no further campaign is started
 */
async function startPart(
  part: CreatedPart,
  execution: OperationExecution,
  askHours: AskHours | undefined,
): Promise<unknown> {
  const { campaignId } = part.read.result;
  const identity = controlIdentity(execution.account, campaignId, 'start');
  const [remembered] = execution.memory.recall([identity]) as [Remembered];
  if (part.difference !== undefined && !remembered.isKnown) {
    const [has, startIf] = DIFFERENCES[part.difference];
    part.reasonToWait = `an earlier request created it, with ${has}. Start it with Campaign > Start only if ${startIf}.`;
    return undefined;
  }
  const start = async () => await control(execution, campaignId, 'start', askHours);
  return await remembered.once(start).then(
    ({ result: { state } }) => void markStarted(part, state),
    (failure: unknown) => {
      part.mayRun ||= mayHaveBeenProcessed(failure);
      const reason = reasonToWait(part, failure);
      if (reason === undefined) {
        part.mayRun ||= isRefusedByService(failure) && mayRunAlready(part, failure);
        if (remembered.isTold) return failure;
        throw failure;
      }
      if (failure instanceof RuleObjection) part.objection = failure.objection;
      part.reasonToWait = reason;
      return undefined;
    },
  );
}

/** The failure of an answer that names the campaign of another part: nobody knows where these people are. */
function sameAgain(campaignId: number): CallingServiceError {
  return new CallingServiceError(
    'otherRecord',
    `The calling service answered about campaign ${campaignId} again, which has other people of the list${MAY_HAVE_HAPPENED.createCampaign}`,
    { mayHaveBeenProcessed: true, advice: LOOK_BEFORE_REPEATING.createCampaign },
  );
}

/**
 * Creates all parts, and only then starts them in order: nobody is called from half a list. People
 * whom an earlier try of the execution has loaded into a campaign are not loaded again, even when
 * the list is now split differently.
 */
export async function carryOut(
  plan: Plan,
  earlier: EarlierCampaigns,
  execution: OperationExecution,
): Promise<Result> {
  const created: CreatedPart[] = [];
  let all = 0;
  let isToldAgain = true;
  try {
    const contacts = await earlier.take(plan, created);
    isToldAgain = false;
    const isDone = contacts.length === 0 && created.length > 0;
    const parts = isDone ? [] : splitContacts(contacts, plan.contactsPerCampaign);
    all = created.length + parts.length;
    for (const some of parts) {
      const settings = { ...plan.base, ...nameOfPart(plan, created.length + 1, all) };
      const note = await noteOf(plan.base, some);
      const creation = execution.memory.fresh({
        subject: CREATION,
        content: { ...settings, ...note },
        effect: 'campaign',
      });
      const read = await creation.once(async () => {
        const made = await execution.service.createCampaign({ ...settings, contacts: some });
        const { campaignId } = made.result;
        if (created.some((part) => part.read.result.campaignId === campaignId)) {
          throw sameAgain(campaignId);
        }
        return made;
      }, note);
      created.push(partOf(read));
    }
    // The service may have started some by itself: those wait for nothing.
    const waiting = plan.start ? created.filter(({ read }) => read.result.started !== true) : [];
    let failure: unknown;
    for (const one of waiting) {
      const toldAgain = await startPart(one, execution, plan.askHours);
      failure ??= toldAgain;
    }
    return { created, parts: all, failure, isToldAgain: true };
  } catch (failure) {
    return { created, parts: Math.max(all, created.length), failure, isToldAgain };
  }
}

/** Names the campaigns that exist after a failure, and how to go on. */
export function existingSentence({ created, parts }: Result): string {
  if (created.length === 0) return '';
  const named = created.map(({ read: { result }, mayRun, isElsewhere }, index) => {
    const state = mayRun ? 'it may be running' : result.state;
    const where = isElsewhere ? ' of another account' : '';
    return `${index + 1}/${parts} is campaign ${result.campaignId}${where} (${state})`;
  });
  const mayRun = created.some((part) => part.mayRun || part.read.result.started);
  const advice = mayRun
    ? 'Look in the dashboard of the calling service which of them are running.'
    : 'They dial nobody until you start them with Campaign > Start.';
  return `These parts exist: ${named.join(', ')}. Retrying this execution creates none of them again. ${advice}`;
}

/** The contacts that were left out. Only the first campaign lists them. */
function skippedOf({ skipped }: Plan, index: number): { skippedContacts?: UnusableContact[] } {
  return index === 0 && skipped.length > 0 ? { skippedContacts: skipped } : {};
}

/** The state in an item; unknown when the answer to the request to start its campaign was lost. */
function stateIn({ read: { result }, mayRun }: CreatedPart): Pick<Campaign, 'state' | 'started'> {
  const { state, started } = result;
  if (!mayRun) return { state, started };
  return { state: started === null ? state : 'unknown', started: null };
}

/** What a campaign has that differs from the request, and when it is to be started all the same. */
const DIFFERENCES: Record<Difference, [has: string, startIf: string]> = {
  people: ['people whom this request does not name', 'all of them are to be called'],
  data: ['another script, kind or data', 'its people are to be called with these'],
};

/** The output for one campaign; the first one lists the contacts that were left out. */
export function itemOf(
  part: CreatedPart,
  index: number,
  parts: number,
  plan: Plan,
  { presentation }: OperationExecution,
): IDataObject {
  const { read, mayRun, reasonToWait, objection, difference } = part;
  const isSaid = !mayRun && reasonToWait !== undefined;
  const remark =
    difference === undefined || isSaid
      ? ''
      : ` An earlier request created it, with ${DIFFERENCES[difference][0]}.`;
  const message = createdMessage(read.result, part) + remark;
  const isOdd = mayRun || isSaid || remark !== '';
  const skipped = skippedOf(plan, index);
  const next = objection === undefined ? {} : nextAllowed(objection);
  if (presentation.form !== 'raw') {
    const result = { ...read.result, ...stateIn(part) };
    const place = { part: index + 1, parts };
    const item: CreatedCampaignOutput = { ...result, ...place, message, ...next, ...skipped };
    const { state, started } = item;
    const always = { ...(isOdd ? { state, started, message } : {}), ...next, ...skipped };
    return shown(presentation, { result: item, body: read.body }, item, always);
  }
  // A separate request starts a campaign. The body of its creation does not show the start.
  const start = plan.start || mayRun ? { ...stateIn(part), ...next } : {};
  const told = isOdd ? { message } : {};
  return { ...read.body, ...start, ...told, ...skipped } as IDataObject;
}

/** The items of the campaigns that a plan would create; `objection` is to starting them now. */
export function dryRunItems(plan: Plan, objection?: Objection): CampaignDryRun[] {
  const parts = splitContacts(plan.contacts, plan.contactsPerCampaign);
  return parts.map((contacts, index) =>
    dryRunItem(plan.start, objection, {
      ...nameOfPart(plan, index + 1, parts.length),
      kind: plan.base.kind,
      contactCount: contacts.length,
      part: index + 1,
      parts: parts.length,
      ...skippedOf(plan, index),
    }),
  );
}
