import type { LimitFunction } from 'p-limit';
import { bareOrderNumber } from '../../contacts/orderNumber';
import { personOf } from '../../contacts/person';
import { readDuplicates } from '../../rules/duplicates';
import { readManualExecution, readSimulatedOutcome } from '../../rules/manualExecutions';
import type { Objection, RuledCall } from '../../rules/rule';
import type { Rules } from '../../rules/rules';
import type { CallRequest } from '../../service/callingService';
import type { RequestIdentity } from '../memory/request';
import type { ItemParameters } from '../itemParameters';
import { readCommonCountry, readPhone } from '../phoneFields';
import type { AttemptSettings } from './attemptSettings';
import { readCallRequest } from './callRequest';

/** A call as an item's parameters ask for it (`asked`), and as it will be placed (`request`). */
export interface AskedCall extends RuledCall {
  /** The call as it was asked for: a test call rings another phone. */
  asked: CallRequest;
  isTestCall: boolean;
  /** Nothing is sent, claimed, written or remembered. */
  isDryRun: boolean;
  /** The outcome of a simulated call: a dry run that goes on as if the call had been placed. */
  simulatedOutcome?: string;
  /** The expression of its Order Number gives nothing: its column may have another name. */
  lacksOrder: boolean;
  /** Why it is not placed or scheduled, or would not be. */
  objection?: Objection;
  /** It failed, and surely nobody was called. */
  hasFailed?: boolean;
}

/** A call with everything that decides whether and when it is placed. */
export interface JudgedCall extends AskedCall {
  rules: Rules;
  /** The settings that its row stores for its end and for later attempts. */
  stored: AttemptSettings | undefined;
}

/** A call that the execution places at once. */
export interface Placement extends JudgedCall {
  /** How long the execution itself waits for the outcome, in milliseconds. */
  waitMs: number;
  /** Set where other calls go to the same person: runs the work on a call when theirs are done. */
  inTurn?: LimitFunction;
  /** It went on when the execution had waited as long as it was to. */
  outlasts?: boolean;
  /** Of several dry runs of one call: whether the execution would place one that was decided before. */
  sameCall?: { wouldBePlaced: boolean };
}

const ORDER_NUMBER = 'additionalFields.orderNumber';

/** Whom a call is about, and which order: also a contact of a campaign. */
type Subject = Pick<CallRequest, 'customerPhone' | 'orderNumber'>;

/** Reads whom to call and what about; mistakes are noted in `parameters`. */
export function readAskedCall(parameters: ItemParameters): AskedCall {
  const asked = readCallRequest(parameters);
  const execution = readManualExecution(parameters);
  const isTestCall = execution === 'testPhone';
  const advice = 'Add the rule "Test Phone" with your own number.';
  const ownPhone = () =>
    readPhone(parameters, 'rules.testPhone', 'Test Phone', advice, readCommonCountry);
  const request = isTestCall ? { ...asked, customerPhone: ownPhone() } : asked;
  const { customerPhone, orderNumber } = request;
  const usualKey = JSON.stringify([bareOrderNumber(orderNumber), personOf(customerPhone)]);
  return {
    asked,
    request,
    isTestCall,
    lacksOrder: orderNumber === undefined && !parameters.isLeftEmpty(ORDER_NUMBER),
    isDryRun: execution === 'dryRun' || execution === 'simulate',
    simulatedOutcome:
      execution === 'simulate' ? readSimulatedOutcome(parameters, parameters.turn) : undefined,
    duplicates: isTestCall ? undefined : readDuplicates(parameters, usualKey),
  };
}

export type Deed = 'call' | 'schedule';

/** No order number, and what else an agent gives for one that it does not know, as {@link bareOrderNumber} gives it. */
const NO_ORDER = ['', 'na', 'unknown'];

/** How a call may name its order. Shops use digits: words, such as `not provided`, may name none. */
export const NAMINGS = ['none', 'words', 'digits'] as const;

/**
 * The person whom a call is about, with how it names its order; that order if it has one; and both by the digits of
 * the order number, which an agent may write as `1001` and as `Order 1001`.
 */
export function aboutOf({ asked, isTestCall }: { asked: Subject; isTestCall: boolean }) {
  const order = bareOrderNumber(asked.orderNumber);
  const person = personOf(asked.customerPhone);
  const digits = order.replace(/\P{Nd}/gu, '').replace(/^0+(?=\d)/, '');
  const inWords = NO_ORDER.includes(order) ? 'none' : 'words';
  const naming: (typeof NAMINGS)[number] = digits === '' ? inWords : 'digits';
  return {
    person: { person, isTestCall },
    naming: { person, naming, isTestCall },
    ...(order === '' ? {} : { order: { order, isTestCall } }),
    ...(digits === '' ? {} : { digits: { person, digits, isTestCall } }),
  };
}

/** What a call that is no test call is about within an execution. */
export function subjectOfCall(deed: Deed, { customerPhone, orderNumber }: Subject): unknown[] {
  return [deed, personOf(customerPhone), bareOrderNumber(orderNumber)];
}

/** Identifies a call within an execution. A retry does not repeat it, even with other parameters. */
export function identityOf(
  deed: Deed,
  { asked, isTestCall, request, duplicates }: AskedCall,
): RequestIdentity {
  const subject = subjectOfCall(deed, asked);
  return {
    // A test call is not the real one: a retry with changed parameters may call the customer.
    subject: isTestCall ? [...subject, 'test call'] : subject,
    content: request,
    about: Object.values(aboutOf({ asked, isTestCall })),
    // A person who sets duplicate keys decides which calls are the same.
    isSingle: duplicates?.isUsual !== false,
    effect: deed === 'call' && isTestCall ? 'testCall' : deed,
  };
}
