import type { IExecuteFunctions } from 'n8n-workflow';
import type { UnusableContact } from '../../contacts/contact';
import { readContactList } from '../../contacts/contactList';
import { inSlices } from '../../eventLoopSlices';
import { tellHint } from '../../hints';
import { defined } from '../../http/json';
import { hoursFor, hoursSettingOf, type AskHours } from '../../rules/callingHours';
import { timezonesOfAll } from '../../rules/customersTimezones';
import { hoursHints } from '../../rules/hoursHints';
import { readDoNotCallTable } from '../../rules/doNotCall';
import type { DoNotCallLists } from '../../rules/doNotCallLists';
import type { CampaignKind, Contact } from '../../service/campaign';
import type { CampaignRequest } from '../../service/callingService';
import { readTrial, type ManualExecution } from '../../rules/manualExecutions';
import { groupBy } from '../../collections';
import { isTool } from '../execution';
import type { ItemParameters } from '../itemParameters';
import { readDefaultCountry } from '../phoneFields';
import { readScriptVariables, refuseMissingVariables } from '../scriptVariables';
import { readContacts } from './contactsSource';
import { contactsPerCampaign, MOST_CONTACTS } from './createFields';

export interface Plan {
  base: Omit<CampaignRequest, 'contacts' | 'name'>;
  name: string | undefined;
  start: boolean;
  execution: ManualExecution;
  /** Asked just before each start. */
  askHours: AskHours | undefined;
  contacts: Contact[];
  /** Whether each number is to be called once, whatever its orders. */
  callsOnce: boolean;
  contactsPerCampaign: number;
  skipped: UnusableContact[];
}

/** Splits a list evenly, in order, into parts of at most `size` contacts. */
export function splitContacts(contacts: Contact[], size: number): Contact[][] {
  const parts = Math.max(1, Math.ceil(contacts.length / size));
  const startOf = (part: number) => Math.floor((part * contacts.length) / parts);
  return Array.from({ length: parts }, (_, part) =>
    contacts.slice(startOf(part), startOf(part + 1)),
  );
}

/** The name of a part that is counted from 1. */
export function nameOfPart({ name }: Plan, part: number, parts: number): { name?: string } {
  if (parts > 1) return { name: `${name ?? 'Campaign'} (${part}/${parts})` };
  return defined({ name });
}

/** The variables that some contacts do not have either. */
async function lackedBy(contacts: Contact[], variables: string[]): Promise<string[]> {
  const lacking = new Set<string>();
  await inSlices(variables.length === 0 ? [] : contacts, (contact) => {
    for (const name of variables) if (!(name in contact)) lacking.add(name);
  });
  return variables.filter((name) => lacking.has(name));
}

/** Shows a hint: a number that is listed twice, in any spelling, is called twice. */
export function tellRepeated(
  context: IExecuteFunctions,
  numbers: number,
  where: string,
  caller: string,
): void {
  if (numbers === 0) return;
  const stand = numbers === 1 ? '1 number stands' : `${numbers} numbers stand`;
  const advice = 'To call it once, choose Duplicate Contacts > Remove by Phone under "Options".';
  const message = `${stand} ${where}. ${caller} calls such a number each time. ${advice}`;
  tellHint(context, message, 'warning');
}

const MOST_REASONS = 3;
const PER_CAMPAIGN = { min: 1, max: MOST_CONTACTS, whole: true };
const AT_ONCE = { min: 1, max: 100_000, whole: true };

/** Shows a hint: how many contacts are left out, and why. A removed duplicate is none of them. */
export function tellLeftOut(
  context: IExecuteFunctions,
  missed: UnusableContact[],
  count: number,
): void {
  if (missed.length === 0) return;
  const byReason = groupBy(missed, ({ reason }) => reason);
  const reasons = [...byReason].sort(([, some], [, others]) => others.length - some.length);
  const shown = reasons
    .slice(0, MOST_REASONS)
    .map(([reason, { length }]) => `${reason} (${length})`);
  if (reasons.length > MOST_REASONS) shown.push('other reasons');
  const message = `${missed.length} of ${count} contacts are left out: ${shown.join('; ')}. The item of the first campaign lists them under skippedContacts.`;
  tellHint(context, message, 'warning');
}

const LEAVE_OUT =
  'To leave out contacts that cannot be called, choose Invalid Contacts > Skip under "Options".';

/** Reads when the contacts may be called; undefined without a start, for then nobody is called. */
async function readStartHours(
  parameters: ItemParameters,
  start: boolean,
  contacts: Contact[],
): Promise<AskHours | undefined> {
  const setting = hoursSettingOf(parameters);
  if (setting === undefined || !start) return undefined;
  const customers = await timezonesOfAll(contacts);
  for (const hint of hoursHints(setting, customers)) tellHint(parameters.context, hint, 'warning');
  const zones = customers.flatMap((some) => (some.length > 0 ? some : [setting.hours.timezone]));
  return hoursFor(setting, [...new Set(zones)], parameters);
}

/** Returns why a number on the do-not-call list is left out; undefined when no list is set. */
async function readObjections(parameters: ItemParameters, lists: DoNotCallLists) {
  const setting = readDoNotCallTable(parameters);
  if (setting === undefined) return undefined;
  const list = await lists.exact(setting);
  return (phone: string): string | undefined => {
    const reason = list.reasonFor(phone);
    if (reason === undefined) return undefined;
    return `The number is on the do-not-call list${reason === '' ? '' : `: ${reason}`}`;
  };
}

/**
 * Reads and checks everything about the campaigns of one list; mistakes are noted.
 *
 * @throws DataTableError when a do-not-call list cannot be read
 */
export async function readPlan(parameters: ItemParameters, lists: DoNotCallLists): Promise<Plan> {
  const { context } = parameters;
  const defaultCountry = readDefaultCountry(parameters);
  const perCampaign = parameters.numberOption(contactsPerCampaign, PER_CAMPAIGN);
  const path = 'options.maxConcurrency';
  const maxConcurrency = parameters.number(path, 'Max Concurrency', AT_ONCE, 0);
  const duplicates = parameters.choice(
    'options.duplicateContacts',
    'Duplicate Contacts',
    ['keep', 'removeByPhone'],
    'keep',
  );
  const invalid = parameters.choice(
    'options.invalidContacts',
    'Invalid Contacts',
    ['fail', 'skip'],
    'fail',
  );
  // An agent may write one order in several ways.
  const callsOnce = duplicates === 'removeByPhone' || isTool(context);
  const { variables, missing } = readScriptVariables(parameters);
  const rows = await readContacts(parameters);
  const list = await readContactList(rows, {
    defaultCountry,
    removeDuplicates: callsOnce,
    objectionTo: await readObjections(parameters, lists),
  });
  const { contacts, unusable, leftOut, missed, repeatedNumbers, advice = LEAVE_OUT } = list;
  tellRepeated(context, repeatedNumbers, 'more than once in the list', 'The campaign');
  if (invalid !== 'skip') {
    await inSlices(unusable, ({ row, phone, reason }, index) => {
      const itsAdvice = index === 0 ? advice : undefined;
      parameters.refuse(`Contact ${row}`, `(${phone || 'no phone'}): ${reason}`, itsAdvice);
    });
  }
  if (contacts.length === 0 && parameters.mistakes.length === 0) {
    const listed = leftOut.length;
    const why = listed === 0 ? '' : ` (on the do-not-call list: ${listed})`;
    const message = `are missing: the list has nobody who can be called${why}`;
    parameters.refuse('Contacts', message, advice === LEAVE_OUT ? undefined : advice);
  }
  refuseMissingVariables(
    parameters,
    await lackedBy(contacts, missing),
    'Fill in the fields under "Script Variables", or give every contact a field of that name.',
  );
  const skipped = [...unusable, ...leftOut].sort((a, b) => a.row - b.row);
  if (parameters.mistakes.length === 0) {
    tellLeftOut(context, missed, skipped.length + contacts.length);
  }
  const start = parameters.switch('startImmediately', 'Start Immediately', false);
  return {
    base: {
      scriptId: parameters.identifier('scriptId', 'Script ID'),
      kind: parameters.choice<CampaignKind>('kind', 'Kind', ['cod', 'list', 'ndr'], 'cod'),
      startImmediately: false,
      ...(maxConcurrency === 0 ? {} : { maxConcurrency }),
      variables,
    },
    name: parameters.soundText('campaignName', 'Campaign Name'),
    start,
    execution: readTrial(parameters),
    askHours: await readStartHours(parameters, start, contacts),
    contacts,
    callsOnce,
    contactsPerCampaign: perCampaign,
    skipped,
  };
}
