import type { IExecuteFunctions } from 'n8n-workflow';
import type { UnusableContact } from '../../contacts/contact';
import { readContactList } from '../../contacts/contactList';
import type { CampaignKind, Contact } from '../../service/campaign';
import type { CampaignRequest } from '../../service/callingService';
import { readIsDryRun } from '../../rules/manualExecutions';
import type { ItemParameters } from '../itemParameters';
import { readDefaultCountry } from '../phoneNumbers';
import { readScriptVariables } from '../scriptVariables';
import { readContacts } from './contactsSource';
import { MOST_CONTACTS } from './createFields';

/** A campaign to be created, whole. */
export interface Plan {
  base: Omit<CampaignRequest, 'contacts' | 'name'>;
  name: string | undefined;
  start: boolean;
  /** Nothing is sent. */
  isDryRun: boolean;
  contacts: Contact[];
  contactsPerCampaign: number;
  skipped: UnusableContact[];
}

function refuseMissingVariables(
  parameters: ItemParameters,
  missing: string[],
  contacts: Contact[],
): void {
  const unfilled = missing.filter((name) => !contacts.every((contact) => name in contact));
  if (unfilled.length === 0) return;
  parameters.refuse(
    'Script Variables',
    `${unfilled.length === 1 ? 'lacks a value' : 'lack values'} for ${unfilled.join(', ')}`,
    'Fill in the fields under "Script Variables", or give every contact a field of that name.',
  );
}

/** Reads and checks everything about the campaigns of one list; mistakes are noted. */
export async function readPlan(
  context: IExecuteFunctions,
  parameters: ItemParameters,
): Promise<Plan> {
  const country = readDefaultCountry(parameters);
  const size = parameters.number(
    'options.contactsPerCampaign',
    'Contacts per Campaign',
    { min: 1, max: MOST_CONTACTS, whole: true },
    MOST_CONTACTS,
  );
  const maxConcurrency = parameters.number(
    'options.maxConcurrency',
    'Max Concurrency',
    { min: 1, max: 100_000, whole: true },
    0,
  );
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
  const { variables, missing } = readScriptVariables(parameters);
  const rows = await readContacts(context, parameters);
  const {
    contacts,
    unusable,
    duplicates: removed,
  } = await readContactList(rows, {
    ...(country === undefined ? {} : { defaultCountry: country }),
    removeDuplicates: duplicates === 'removeByPhone',
  });
  if (invalid !== 'skip') {
    for (const { row, phone, reason } of unusable) {
      parameters.refuse(`Contact ${row}`, `(${phone || 'no phone'}): ${reason}`);
    }
  }
  if (contacts.length === 0 && parameters.mistakes.length === 0) {
    parameters.refuse('Contacts', 'are missing: the list has nobody who can be called');
  }
  refuseMissingVariables(parameters, missing, contacts);
  return {
    base: {
      scriptId: parameters.identifier('scriptId', 'Script ID'),
      kind: parameters.choice<CampaignKind>('kind', 'Kind', ['cod', 'list', 'ndr'], 'cod'),
      startImmediately: false,
      ...(maxConcurrency === 0 ? {} : { maxConcurrency }),
      variables,
    },
    name: parameters.text('campaignName'),
    start: parameters.switch('startImmediately', 'Start Immediately', false),
    isDryRun: readIsDryRun(parameters),
    contacts,
    contactsPerCampaign: size,
    skipped: [...unusable, ...removed].sort((a, b) => a.row - b.row),
  };
}
