import { defined } from '../../http/json';
import { RuleObjection, type Objection } from '../../rules/rule';
import type { Read } from '../../service/callingService';
import type { Campaign } from '../../service/campaign';
import { CREATION, LoadedContacts, waysHeld, type Holder } from '../campaign/loadedContacts';
import { isTool, runOf, type OperationExecution } from '../execution';
import type { ReadItem } from '../itemWork';
import { otherRounds } from '../memory/rounds';
import { aboutOf, identityOf, NAMINGS, type AskedCall, type Deed } from './askedCall';

/** Objects to dry runs of Schedule Call that repeat the person and order of an earlier one, who is called once. */
function objectToRepeated(items: AskedCall[]): void {
  const seen = new Set<string>();
  for (const one of items.filter(({ isDryRun }) => isDryRun)) {
    const { subject, isSingle } = identityOf('schedule', one);
    const name = JSON.stringify(subject);
    if (isSingle && seen.has(name)) one.objection ??= { reason: 'duplicate' };
    seen.add(name);
  }
}

const OTHER_ORDER =
  'an earlier try of this execution has called this person or scheduled the call under another order number, or may have';
const OTHER_PHONE =
  'an earlier try of this execution has called another phone number about this order or scheduled the call, or may have';

const OTHER_RUN =
  'another run of this node in this execution has called this person about this order or scheduled the call, or may have';

const OTHER_EXECUTION =
  'this node may have called this person about this order or scheduled the call, when its workflow was executed for the same one before';

const MAYBE_SAME =
  'an earlier request of this execution was for this person, and one of the two may have no order number: they may be the same call';
const SAME_DIGITS =
  'an earlier request of this execution was for this person, and its order number has the same digits: they may be the same call';

/** What another request about the same call may be about, if anything, and the words for it. */
type OtherName = [about: object | undefined, words: string];

/**
 * Objects to a call that may be an earlier one under another name. An agent names each order of a person by its number.
 * `placement.ts` answers a request that is repeated as it was.
 */
function objectionToOtherName(
  { memory, context }: OperationExecution,
  deed: Deed,
  request: AskedCall,
): Objection | undefined {
  const isOfAgent = isTool(context);
  const subject = isOfAgent ? identityOf(deed, request).subject : undefined;
  const { person, order, naming, digits } = aboutOf(request);
  const namings = NAMINGS.filter((one) => one !== naming.naming || one === 'none');
  const ofAgent = namings.map((one): OtherName => [{ ...naming, naming: one }, MAYBE_SAME]);
  const names: OtherName[] = isOfAgent
    ? [...ofAgent, [digits, SAME_DIGITS]]
    : [
        [person, OTHER_ORDER],
        [order, OTHER_PHONE],
      ];
  for (const [about, words] of names) {
    const earlier = about === undefined ? undefined : memory.unclaimedAbout(about, subject);
    if (earlier !== undefined) return { reason: 'earlierTry', orderId: earlier.orderId, words };
  }
  return undefined;
}

/**
 * Throws RuleObjection when a call of an agent begins, and another one has begun since it was read. The later of two
 * sees the other one.
 */
export function refuseOtherName(execution: OperationExecution, request: AskedCall): void {
  if (!isTool(execution.context)) return;
  const objection = objectionToOtherName(execution, 'call', request);
  if (objection !== undefined) throw new RuleObjection(objection);
}

function inCampaign({ by }: Holder, campaign: string): string {
  if (by === 'orders') {
    return `an earlier try of this execution has loaded another phone number about this order into ${campaign}, or may have`;
  }
  const under = by === 'people' ? ' under another order number' : '';
  return `an earlier try of this execution has loaded this person into ${campaign}${under}, or may have`;
}

/** Objects to calls whose person or order an earlier try has loaded into a campaign, by another operation. */
async function objectToLoaded(
  { memory, context }: OperationExecution,
  calls: AskedCall[],
): Promise<void> {
  const campaigns = memory.earlier(CREATION);
  if (campaigns.length === 0) return;
  const loaded = await LoadedContacts.of(campaigns.map(({ note }) => note));
  const customers = calls.filter(({ isTestCall }) => !isTestCall);
  const contacts = customers.map(({ asked: { customerPhone, orderNumber } }) => ({
    customerPhone,
    ...defined({ orderNumber }),
  }));
  const holders = loaded.holdersOf(contacts, waysHeld(context));
  const names = await Promise.all(
    campaigns.map(async (one) => {
      const where = one.isElsewhere ? ' of another account' : '';
      return await one.earlierResult<Read<Campaign>>().then(
        ({ result }) => `campaign ${result.campaignId}${where}`,
        () => 'a campaign',
      );
    }),
  );
  customers.forEach((call, index) => {
    const holder = holders[index];
    if (holder === undefined) return;
    const words = inCampaign(holder, names[holder.campaign] ?? 'a campaign');
    call.objection ??= { reason: 'earlierTry', words };
  });
}

/**
 * Objects to calls that another run of the node has placed or scheduled, or may have. Several branches that lead
 * to the node each give it a run. The other rounds of a loop may repeat what was done, but nothing in doubt.
 */
function objectToOtherRuns(
  { memory, context }: OperationExecution,
  deed: Deed,
  requests: AskedCall[],
): void {
  const isOtherRound = otherRounds(context);
  // In a retry of a workflow that a person has changed, nobody knows what was a round.
  const isOtherBranch = (scope: string, isOfPath: boolean) =>
    !isOfPath || !isOtherRound(runOf(scope));
  for (const request of requests) {
    const { subject, isSingle } = identityOf(deed, request);
    if (isSingle !== true) continue;
    const doneIn = (isMeant?: typeof isOtherBranch) =>
      memory.inOtherScopes(subject, isMeant).filter(({ wasSkipped }) => !wasSkipped);
    const earlier = doneIn().find(({ isInDoubt }) => isInDoubt) ?? doneIn(isOtherBranch)[0];
    if (earlier !== undefined) {
      const { orderId } = earlier;
      request.objection ??= { reason: 'earlierTry', orderId, words: OTHER_RUN };
    } else if (memory.isInDoubtInFamily(subject)) {
      request.objection ??= { reason: 'earlierTry', words: OTHER_EXECUTION };
    }
  }
}

/**
 * Objects to calls with the Duplicate Key of a call that an earlier try has placed or scheduled, or may have. That
 * try claimed the key as it was then: with the date or the execution in it, it is another one by now.
 */
function objectToKeysOfEarlierTries(items: Array<ReadItem<AskedCall>>): void {
  const ownKeyOf = ({ duplicates }: AskedCall) =>
    duplicates?.isUsual === false ? duplicates.key : undefined;
  const done = items.filter(({ remembered }) => remembered.isEarlier && !remembered.wasSkipped);
  const keys = new Set(done.map(({ request }) => ownKeyOf(request)));
  for (const { request, remembered } of items) {
    const key = ownKeyOf(request);
    if (remembered.isEarlier || key === undefined || !keys.has(key)) continue;
    request.objection ??= { reason: 'duplicate' };
  }
}

/**
 * Notes an objection to every call that an earlier try of the execution has placed or scheduled, or
 * may have: with another operation, or with an order number or phone that this try does not name any
 * more. A phone would ring a second time for one order.
 */
export async function objectToDoneOtherwise(
  execution: OperationExecution,
  deed: Deed,
  items: Array<ReadItem<AskedCall>>,
): Promise<void> {
  const { memory } = execution;
  const other = deed === 'call' ? 'schedule' : 'call';
  const fresh = items.filter(({ remembered }) => !remembered.isEarlier);
  const done = memory.recall(fresh.map(({ request }) => identityOf(other, request)));
  fresh.forEach(({ request }, index) => {
    const earlier = done[index];
    if (earlier?.isEarlier !== true || earlier.wasSkipped) return;
    request.objection = { reason: 'earlierTry', orderId: earlier.orderId };
  });
  const requests = fresh.map(({ request }) => request);
  await objectToLoaded(execution, requests);
  for (const request of requests) {
    request.objection ??= objectionToOtherName(execution, deed, request);
  }
  objectToOtherRuns(execution, deed, requests);
  objectToKeysOfEarlierTries(items);
  if (deed === 'schedule') objectToRepeated(items.map(({ request }) => request));
}
