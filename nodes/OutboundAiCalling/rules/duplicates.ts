import type { INodeProperties } from 'n8n-workflow';
import { bareOrderNumber, plainOrderNumber } from '../contacts/orderNumber';
import { personOf } from '../contacts/person';
import { tellHint } from '../hints';
import { objectionToContent, tellsNothingApart, tooLong } from '../objections';
import { DuplicateKeys } from './duplicateKeys';
import { LoggedDuplicates } from './loggedDuplicates';
import type {
  DuplicateSetting,
  Objection,
  RuledCall,
  RuleExecution,
  RuleKind,
  RuleParameters,
  SetRule,
} from './rule';

const preventDuplicates: INodeProperties = {
  displayName: 'Prevent Duplicates',
  name: 'preventDuplicates',
  type: 'boolean',
  default: true,
  description:
    'Whether to skip an item whose call this node has placed or scheduled before, in this or an earlier execution. With a call log, also one whose call another node, workflow or process has written there.',
  hint: 'Add Order Number: without it, or a Duplicate Key, each phone number is called only once',
};

const duplicateKey: INodeProperties = {
  displayName: 'Duplicate Key',
  name: 'duplicateKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.orderNumber }}',
  description:
    'What makes two calls the same, instead of the order number and the phone number. Without Prevent Duplicates, adding this rule turns it on.',
};

/** The settings of one item, as a person has entered them. */
interface ItemSettings extends RuleParameters {
  isExpression(path: string): boolean;
  /** Whether items or executions may have different ones. */
  dependsOnItem(path: string): boolean;
}

const KEY = 'rules.duplicateKey';
const ADVICE =
  'All items with the same key count as one order, in later executions too. Give a key by an expression, e.g. {{ $json.orderNumber }}, or replace it by Prevent Duplicates, which uses the order number and the phone number.';

/** A Duplicate Key alone prevents duplicates too. Without one, the call has `usualKey`. In a key, only capitals count. */
export function readDuplicates(parameters: ItemSettings, usualKey: string): DuplicateSetting {
  const isKeyAdded = parameters.has(KEY);
  const path = 'rules.preventDuplicates';
  const isPrevented = parameters.switch(path, 'Prevent Duplicates', isKeyAdded);
  if (!isPrevented || !isKeyAdded) return { key: usualKey, isUsual: true, isPrevented };
  const isExpression = parameters.isExpression(KEY);
  if (tellsNothingApart(parameters.value(KEY))) {
    const gives = isExpression ? ': its expression gives nothing that tells orders apart' : '';
    parameters.refuse('Duplicate Key', `is empty${gives}`, ADVICE);
  } else if (!parameters.dependsOnItem(KEY)) {
    const uses = isExpression ? ': its expression uses no data of the order' : '';
    parameters.refuse('Duplicate Key', `is the same for every order${uses}`, ADVICE);
  }
  const key = plainOrderNumber(parameters.text(KEY) ?? '');
  const objection = objectionToContent(parameters.value(KEY)) ?? tooLong(key);
  if (objection !== undefined) parameters.refuse('Duplicate Key', objection);
  return { key, isUsual: false, isPrevented };
}

const DUPLICATE: Objection = { reason: 'duplicate' };
const OF_ANOTHER: Objection = {
  ...DUPLICATE,
  words: 'its Duplicate Key belongs to a call to another phone number',
};

const NEEDS_LOG =
  "Prevent Duplicates needs a call log in n8n's Chat: choose Data Table under Call Log. Each message there is a workflow of its own, which knows no earlier call";

const SHARED = {
  key: (key: string) =>
    `Several phone numbers have the Duplicate Key "${key}", so only one of them is called. If they are several orders, mend the expression of Duplicate Key.`,
  order: (number: string) =>
    `The order number "${number}" has calls to several phone numbers. If a number was corrected, cancel the call to the old one.`,
};

type SharedBy = keyof typeof SHARED;

/** Hints once at a key, or an order number, of several people. */
function tellShared({ context, shared }: RuleExecution, by: SharedBy, name: string): void {
  shared(`told of one ${by}`, () => tellHint(context, SHARED[by](name), 'warning'));
}

/** Hints if an earlier call of the execution has the same key, or order number, and is to another person. */
function tellIfShared(execution: RuleExecution, { duplicates, request }: RuledCall): void {
  const { key = '', isUsual = true } = duplicates ?? {};
  const name = isUsual ? request.orderNumber : key;
  if (name === undefined) return;
  const by = isUsual ? 'order' : 'key';
  const people = execution.shared(`people of one ${by}`, () => new Map<string, string>());
  const same = isUsual ? bareOrderNumber(name) : key;
  const person = personOf(request.customerPhone);
  const first = people.get(same) ?? person;
  people.set(same, first);
  if (first !== person) tellShared(execution, by, name);
}

function read(_: RuleParameters, call: RuledCall): SetRule | undefined {
  const { duplicates: setting } = call;
  if (setting?.isPrevented !== true) return undefined;
  const { key, isUsual } = setting;
  return (execution) => {
    const { context, log } = execution;
    // n8n stores the keys of a node with its workflow. Its Chat deletes the workflow of each message.
    if (context.getMode() === 'chat' && log === undefined) throw new Error(NEEDS_LOG);
    tellIfShared(execution, call);
    const keys = DuplicateKeys.of(execution);
    const logged = LoggedDuplicates.of(execution, call);
    const isLogged = async () => (await logged?.has(call, ({ isClaimed }) => isClaimed)) === true;
    let isClaimed = false;
    let isTried = false;
    return {
      inTurn: async (decide) => await keys.inTurn(key, decide),
      objection: async (isDryRun) => {
        if (await isLogged()) {
          const isOfAnother = (await logged?.lastSaid(call))?.isOfAnother === true;
          return isOfAnother && !isUsual ? OF_ANOTHER : DUPLICATE;
        }
        if ((await logged?.lastSaid(call))?.isAnothersToo === true) {
          tellShared(execution, 'order', String(call.request.orderNumber));
        }
        // The log is asked first: an execution that gives way must not hold the key. A counted call is marked
        // alone, and claims before that, so that no duplicate takes a place under a cap.
        const waits = call.row?.isMarked === false && call.isCounted !== true;
        if (!isDryRun && waits) return undefined;
        if (isDryRun) isTried ||= await keys.tryClaim(key);
        else isClaimed ||= call.holdsKey === true || (await keys.claim(key));
        return isClaimed || isTried ? undefined : DUPLICATE;
      },
      giveBack: async () => {
        if (isTried) keys.giveBackTried(key);
        isTried = false;
        if (!isClaimed && call.holdsKey !== true) return;
        isClaimed = false;
        call.holdsKey = false;
        await keys.release(key);
      },
    };
  };
}

/** Places one call for each key, across all executions of the node and all writers of the log. */
export const duplicates: RuleKind = { fields: [preventDuplicates, duplicateKey], read };

/** Does not schedule a call that already waits or rings, even when duplicates are allowed. */
export function scheduledOnce(call: RuledCall): SetRule {
  return (execution) => {
    const logged = LoggedDuplicates.of(execution, call);
    return {
      objection: async () => {
        const has = await logged?.has(call, ({ isPending }) => isPending);
        return has === true ? DUPLICATE : undefined;
      },
    };
  };
}
