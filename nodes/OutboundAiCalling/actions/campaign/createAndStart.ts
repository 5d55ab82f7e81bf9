import { RuleObjection, type Objection } from '../../rules/rule';
import type { Read } from '../../service/callingService';
import type { Campaign, CampaignControl, Contact } from '../../service/campaign';
import { STATE_AFTER } from '../../service/campaignState';
import { mayHaveBeenProcessed, NothingSent, type CallingServiceError } from '../../service/failure';
import { contactsDiffer, sameAgain } from '../../service/answers';
import type { OperationExecution } from '../execution';
import { DoneElsewhere, type Remembered } from '../memory/remembered';
import { DIFFERENCES, type Start } from './campaignMessage';
import { control, controlIdentity, isRefusedByService } from './control';
import { doneOtherwise, refuseCalledOtherwise } from './earlierCalls';
import { CREATION, LoadedContacts, noteOf, waysHeld, type Difference } from './loadedContacts';
import { nameOfPart, splitContacts, type Plan } from './plan';
import { pauseUnlessWanted, sinceWhen, sinceOwnStart, type Pausing } from './startedByItself';

export interface CreatedPart extends Start {
  read: Read<Campaign>;
  objection?: Objection;
  isEarlier?: true;
  /** How it differs from what is asked for now, when an earlier request has made it. */
  difference?: Difference | undefined;
  /** It was made with another account, where nothing is done now. */
  isElsewhere?: boolean;
  /** Of one that the service has started by itself, or may have. */
  pausing?: Pausing | undefined;
}

function partOf(read: Read<Campaign>, pausing: Pausing): CreatedPart {
  const { started } = read.result;
  const mayRun = started === null && !pausing.wasPaused;
  // A start changes the result.
  const part = { read: { ...read, result: { ...read.result } }, mayRun };
  return { ...part, pausing: started === false ? undefined : pausing };
}

/** Notes that a campaign is not to call anybody, or is paused, that the service has started by itself, or may have. */
function noteOwnStart(part: CreatedPart, plan: Plan): void {
  if (part.pausing === undefined) return;
  Object.assign(part, sinceOwnStart(part.read.result, part.pausing, plan));
}

/** Pauses a campaign that is not to be started any more, unless the service has surely not started it by itself. */
async function pausePart(
  part: CreatedPart,
  plan: Plan,
  execution: OperationExecution,
): Promise<void> {
  const pausing = await pauseUnlessWanted(part.read.result, plan, execution);
  Object.assign(part, partOf(part.read, pausing));
  noteOwnStart(part, plan);
}

/** Marks a campaign of which nobody knows whether a request has started it. */
function markDoubtful(part: CreatedPart): void {
  part.mayRun = true;
  delete part.pausing;
}

function markStarted(part: CreatedPart, state: string): void {
  part.mayRun = false;
  delete part.pausing;
  Object.assign(part.read.result, { state, started: true });
}

/** The result of a plan: the campaigns that exist, and the failure, if any. */
export interface Result {
  created: CreatedPart[];
  parts: number;
  failure?: unknown;
  /** Whether a failure, if any, is that of an earlier try: it says nothing about other lists. */
  isEarlierFailure: boolean;
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
   * @throws NothingSent when one holds a person or an order of the other contacts, a call was about them, or the list
   * has nobody
   */
  async take(plan: Plan, created: CreatedPart[]): Promise<Contact[]> {
    const { contacts, base } = plan;
    if (contacts.length === 0) {
      throw new NothingSent(
        'Everybody on this list was called or scheduled, or may have been, by an earlier try of this execution',
        'Nothing was done again: look at these calls. A new execution calls the whole list.',
      );
    }
    this.loaded ??= await LoadedContacts.of(this.remembered.map(({ note }) => note));
    const { fresh, holders } = await this.loaded.part(contacts, base);
    for (const { campaign, difference } of holders) {
      const earlier = this.remembered[campaign] as Remembered;
      const read = await earlier.earlierResult<Read<Campaign>>();
      const { isElsewhere, note } = earlier;
      const made = partOf(read, { wasPaused: note.wasPaused === true });
      const part = { ...made, isEarlier: true as const, difference, isElsewhere };
      created.push(part);
      await this.recallStart(part, earlier.madeWith);
      noteOwnStart(part, plan);
    }
    const elsewhere = created.filter(({ isElsewhere }) => isElsewhere);
    if (elsewhere.length === 0) {
      await this.refuseHeldAsOthers(this.loaded, fresh);
      await refuseCalledOtherwise(fresh, this.execution);
      return fresh;
    }
    const ids = elsewhere.map(({ read }) => read.result.campaignId).join(', ');
    throw new DoneElsewhere(`Contacts of this list were loaded into campaign ${ids}`);
  }

  /**
   * Refuses to load people or orders again that a campaign holds as contacts that nobody asks for any more:
   * they may be the same contacts under other order numbers, or with other phone numbers.
   *
   * @throws NothingSent
   */
  private async refuseHeldAsOthers(loaded: LoadedContacts, fresh: Contact[]): Promise<void> {
    for (const by of waysHeld(this.execution.context)) {
      const { campaigns, count } = await loaded.heldAsOthers(fresh, by);
      if (count === 0) continue;
      const ids: number[] = [];
      for (const campaign of campaigns) {
        const earlier = this.remembered[campaign] as Remembered;
        ids.push((await earlier.earlierResult<Read<Campaign>>()).result.campaignId);
      }
      const where = ids.length === 1 ? 'campaign' : 'campaigns';
      throw doneOtherwise(by, count, `loaded into ${where} ${ids.join(', ')}`);
    }
  }

  /** Notes whether earlier tries started it, or may have, even when this one is not to start it. */
  private async recallStart(part: CreatedPart, account: string | undefined): Promise<void> {
    const earlier = (action: 'start' | 'resume') =>
      this.execution.memory
        .earlier(controlIdentity(account, part.read.result.campaignId, action).subject)
        .at(-1);
    const start = earlier('start');
    if (start?.isOver || (part.pausing?.wasPaused && earlier('resume') !== undefined)) {
      markDoubtful(part);
      return;
    }
    await start?.earlierResult<Read<CampaignControl>>().then(
      ({ result: { state } }) => markStarted(part, state),
      () => markDoubtful(part),
    );
  }
}

/** Whether a campaign may run although the service has refused to start it. */
function mayRunAlready({ isEarlier }: CreatedPart, failure: CallingServiceError): boolean {
  // Another person or workflow may have started it meanwhile.
  return (
    isEarlier === true && failure.campaignState === undefined && failure.kind !== 'poolExhausted'
  );
}

/** Why a campaign stays unstarted and can be started later; undefined for an error. */
function reasonNotStarted(part: CreatedPart, failure: unknown): string | undefined {
  if (failure instanceof RuleObjection) {
    const since = sinceWhen(failure.objection);
    return `it is outside the calling hours. Start it with Campaign > Start${since}.`;
  }
  if (!isRefusedByService(failure) || failure.mayHaveBeenProcessed) return undefined;
  if (mayRunAlready(part, failure)) return undefined;
  const why = `${failure.message}. ${failure.advice}`;
  return part.read.result.started === null ? why : `${why} Then start it with Campaign > Start.`;
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
  plan: Plan,
): Promise<unknown> {
  const { campaignId } = part.read.result;
  const identity = controlIdentity(execution.account, campaignId, 'start');
  const [remembered] = execution.memory.recall([identity]) as [Remembered];
  if (part.difference !== undefined && !remembered.findEntry()) {
    const [has, startIf] = DIFFERENCES[part.difference];
    part.reasonToWait = `an earlier request created it, with ${has}. Start it with Campaign > Start only if ${startIf}.`;
    return undefined;
  }
  const start = async () => await control(execution, campaignId, 'start', plan.askHours);
  return await remembered.once(start).then(
    ({ result: { state } }) => void markStarted(part, state),
    async (failure: unknown) => {
      part.mayRun ||= mayHaveBeenProcessed(failure);
      // Somebody may have started it since, and paused or stopped it.
      const state = isRefusedByService(failure) ? failure.campaignState : undefined;
      if (state === STATE_AFTER.start) return void markStarted(part, state);
      if (state !== undefined && state !== 'not_started')
        Object.assign(part.read.result, { state, started: null });
      const reason = reasonNotStarted(part, failure);
      if (reason === undefined) {
        part.mayRun ||= isRefusedByService(failure) && mayRunAlready(part, failure);
        if (remembered.isEarlier) return failure;
        throw failure;
      }
      part.reasonToWait = reason;
      if (failure instanceof RuleObjection) {
        part.objection = failure.objection;
        if (part.mayRun && part.isEarlier !== true) await pausePart(part, plan, execution);
      }
      return undefined;
    },
  );
}

/**
 * Creates all parts, and only then starts them in order: nobody is called from half a list. People
 * whom an earlier try of the execution has loaded into a campaign are not loaded again, even when
 * the list is now split differently. A campaign that the service starts by itself before it may is paused.
 */
export async function createAndStart(
  plan: Plan,
  earlier: EarlierCampaigns,
  execution: OperationExecution,
): Promise<Result> {
  const created: CreatedPart[] = [];
  let partCount = 0;
  let isEarlierFailure = true;
  try {
    const contacts = await earlier.take(plan, created);
    isEarlierFailure = false;
    const isDone = contacts.length === 0 && created.length > 0;
    const parts = isDone ? [] : splitContacts(contacts, plan.contactsPerCampaign);
    partCount = created.length + parts.length;
    for (const some of parts) {
      const settings = { ...plan.base, ...nameOfPart(plan, created.length + 1, partCount) };
      const note = await noteOf(plan.base, some);
      const creation = execution.memory.fresh({
        subject: CREATION,
        content: { ...settings, ...note },
        effect: 'campaign',
      });
      let pausing: Pausing = { wasPaused: false };
      const read = await creation.once(async () => {
        const made = await execution.service.createCampaign({ ...settings, contacts: some });
        const { campaignId } = made.result;
        if (execution.memory.hasCreated(campaignId)) throw sameAgain('createCampaign', campaignId);
        pausing = await pauseUnlessWanted(made.result, plan, execution);
        const { result, otherCount } = made;
        if (otherCount !== undefined) throw contactsDiffer(result, otherCount, pausing.failure);
        return made;
      }, note);
      if (pausing.wasPaused) creation.addToNote({ wasPaused: true });
      const part = partOf(read, pausing);
      noteOwnStart(part, plan);
      created.push(part);
    }
    // The service may have started some by itself: those wait for nothing.
    const waits = ({ read, startedByItself }: CreatedPart) =>
      read.result.started !== true && startedByItself === undefined;
    const waiting = plan.start ? created.filter(waits) : [];
    let failure: unknown;
    for (const one of waiting) {
      const earlierFailure = await startPart(one, execution, plan);
      failure ??= earlierFailure;
    }
    return { created, parts: partCount, failure, isEarlierFailure: true };
  } catch (failure) {
    return { created, parts: Math.max(partCount, created.length), failure, isEarlierFailure };
  }
}
