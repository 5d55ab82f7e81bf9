import {
  isExpression,
  NodeOperationError,
  type IDataObject,
  type IPollFunctions,
} from 'n8n-workflow';
import { HOUR_MS } from '../clocks';
import type { Presentation } from '../presentation';
import { firstCheckAfterSeconds, TRANSCRIPT_FORMS, type NumberField } from '../fields';
import { textOf } from '../http/json';
import { USUAL_OUTCOME } from '../rules/manualExecutions';
import { readOutcomeList, wildcardIn } from '../service/outcomeList';
import { boundsInWords, readList, readNumber, readSwitch, type Bounds } from '../values';
import { giveUpAfterHours } from './fields';

const WAYS = ['instance', 'callLog', 'orderIds'] as const;
const EVENTS = ['outcomeAvailable', 'outcomeUnavailable'] as const;
export type TriggerEvent = (typeof EVENTS)[number];

/** The person's settings. Times are in milliseconds, where the panel says hours or seconds. */
export interface TriggerSettings {
  events: TriggerEvent[];
  watch: (typeof WAYS)[number];
  presentation: Presentation;
  /** Keys of outcomes to fire for; empty for all. */
  outcomeKeys: string[];
  /** Statuses to fire for, as keys like outcomeKeys; empty for all. */
  callStatuses: string[];
  giveUpAfterMs: number;
  firstCheckAfterMs: number;
  fastChecks: boolean;
  /** Whether only the last attempt of a call fires. */
  finalOnly: boolean;
  simulatedOutcome: string;
}

export interface AccountSettings extends TriggerSettings {
  /** Its fingerprint: an order id is unique only within its account. */
  account: string;
}

/** Within these bounds, a typing error cannot make a trigger that never gives up or never looks. */
const GIVE_UP_HOURS = { min: 0.01, max: 30 * 24 };
const FIRST_CHECK_SECONDS = { min: 0, max: 24 * 3600 };

/** Reads the trigger's parameters, or throws NodeOperationError for an invalid value. */
export function readSettings(context: IPollFunctions): TriggerSettings {
  const refuse = (message: string, description: string): never => {
    throw new NodeOperationError(context.getNode(), message, { description });
  };
  const correct = (displayName: string) => `Correct "${displayName}" in the options, or remove it.`;
  const options = context.getNodeParameter('options', {}) as IDataObject;
  const number = ({ name, displayName, default: usual }: NumberField, bounds: Bounds) => {
    if (!(name in options)) return usual;
    const objection = `${displayName} is not ${boundsInWords(bounds)}`;
    return readNumber(options[name], bounds) ?? refuse(objection, correct(displayName));
  };
  const onOff = (value: unknown, displayName: string) =>
    readSwitch(value) ??
    refuse(`${displayName} is neither true nor false`, `Switch "${displayName}" on or off.`);
  const option = (name: string, displayName: string, usual: boolean) =>
    name in options ? onOff(options[name], displayName) : usual;
  const choice = <T extends string>(given: unknown, displayName: string, all: readonly T[]): T =>
    all.find((one) => one === given) ??
    refuse(`"${displayName}" has an unknown value`, `Choose one from the list: ${all.join(', ')}.`);
  const given = context.getNode().parameters.options as IDataObject | undefined;
  const list = (name: string, displayName: string) => {
    const keys =
      readOutcomeList(options[name]) ??
      refuse(`${displayName} is not a list`, 'Enter texts separated by commas.');
    const word = wildcardIn(keys);
    if (word !== undefined) {
      const advice = `Remove "${displayName}" to fire for all.`;
      return refuse(`${displayName} name "${word}", which is none`, advice);
    }
    if (keys.length > 0 || !isExpression(given?.[name])) return keys;
    return refuse(`${displayName} has an expression that gives nothing`, correct(displayName));
  };

  const events = readList(context.getNodeParameter('events', ['outcomeAvailable'])) ?? [];
  const unknown = events.find((event) => !EVENTS.includes(event as TriggerEvent));
  if (unknown !== undefined) refuse(`There is no event "${unknown}"`, 'Choose from "Events".');
  if (events.length === 0) {
    refuse('No event is chosen', 'Choose under "Events" what the trigger fires for.');
  }
  const watch = choice(context.getNodeParameter('watch', 'instance'), 'Watch', WAYS);
  const { transcript: form = 'turns' } = options;
  const transcript = choice(form, 'Transcript', TRANSCRIPT_FORMS);
  const outcomeKeys = list('outcomes', 'Outcomes');
  return {
    events: events as TriggerEvent[],
    watch,
    presentation: onOff(context.getNodeParameter('simplify', true), 'Simplify')
      ? { form: 'simplified', transcript }
      : { form: 'raw' },
    outcomeKeys,
    callStatuses: list('callStatuses', 'Call Statuses'),
    giveUpAfterMs: number(giveUpAfterHours, GIVE_UP_HOURS) * HOUR_MS,
    firstCheckAfterMs: number(firstCheckAfterSeconds, FIRST_CHECK_SECONDS) * 1000,
    fastChecks: option('fastChecks', 'Fast Checks', true),
    finalOnly: option('finalOnly', 'Last Attempts Only', false),
    simulatedOutcome: textOf(options.simulatedOutcome)?.trim() || outcomeKeys[0] || USUAL_OUTCOME,
  };
}
