import type { IDataObject } from 'n8n-workflow';
import type { StoredSettings } from '../../callLog/placing/loggedRequest';
import type { RetryPlan } from '../../placedCalls';
import type { Locality } from '../../rules/storedParameters';
import { isRecord } from '../../http/json';
import { readTimezone } from '../../rules/hours';
import type { ItemParameters } from '../itemParameters';
import { readDefaultCountry } from '../phoneFields';

/** The settings that a row stores next to the request, to place the call, or retry it, later. */
export interface AttemptSettings extends Pick<StoredSettings, 'retry'> {
  /** The entries of "Rules" as JSON; empty for a test call, which has nobody to protect. */
  rules: IDataObject;
  settings: Locality & IDataObject;
}

/** Entries of "Rules" that mean something only when the workflow itself runs. */
const OF_WORKFLOW_ONLY = [
  'manualExecutions',
  'simulatedOutcomes',
  'testPhone',
  'maxCalls',
  'outsideCallingHours',
];

/** Converts to JSON. An undefined value becomes null, so that a rule refuses it later too. */
function asJson(value: IDataObject): IDataObject {
  const text = JSON.stringify(value, (_, entry: unknown) => (entry === undefined ? null : entry));
  return JSON.parse(text) as IDataObject;
}

/** Reads the settings of rules one by one, so that an expression that fails is reported. */
function rulesIn(parameters: ItemParameters): IDataObject {
  const given = parameters.has('rules') ? parameters.value('rules') : undefined;
  const names = Object.keys(isRecord(given) ? given : {});
  const stored = names.filter((name) => !OF_WORKFLOW_ONLY.includes(name));
  const values = stored.map((name) => [name, parameters.value(`rules.${name}`)]);
  return asJson(Object.fromEntries(values) as IDataObject);
}

export function attemptSettings(
  parameters: ItemParameters,
  { isTestCall }: { isTestCall: boolean },
  retry: RetryPlan | undefined,
): AttemptSettings {
  const defaultCountry = readDefaultCountry(parameters);
  const { workflowTimezone } = parameters;
  const timezone = readTimezone(workflowTimezone);
  if (timezone === undefined) {
    const name = `The time zone of the workflow "${workflowTimezone}"`;
    parameters.refuse(name, 'is not a name such as Europe/Berlin', 'Choose one in its settings.');
  }
  return {
    retry,
    rules: isTestCall ? {} : rulesIn(parameters),
    settings: { timezone: timezone ?? workflowTimezone, defaultCountry },
  };
}
