import type { INodeProperties } from 'n8n-workflow';
import { DO_NOT_CALL_LIST } from '../callLog/table/doNotCallTable';
import { isCountry } from '../contacts/phoneNumber';
import { readTableLocator } from '../dataTables/findTable';
import { dataTableLocator } from '../fields';
import { isRecord } from '../http/json';
import { isBlank } from '../values';
import { DoNotCallLists, type DoNotCallSetting } from './doNotCallLists';
import type { Objection, RuleKind, RuleParameters, RuledCall, SetRule } from './rule';

const PATH = 'rules.doNotCallTable';
const OUTCOMES = 'Do-Not-Call Outcomes';

const tableField = (description: string) =>
  dataTableLocator({
    displayName: DO_NOT_CALL_LIST,
    name: 'doNotCallTable',
    placeholder: 'e.g. Do not call',
    description,
    hint: 'Needs a column "phone"; "reason" and "until" are optional. Needs an n8n API key in the credential.',
  });

const doNotCallTable = tableField(
  'The data table of n8n that names the people who are not to be called',
);

const doNotCallOutcomes: INodeProperties = {
  displayName: OUTCOMES,
  name: 'doNotCallOutcomes',
  type: 'string',
  default: 'do_not_call',
  placeholder: 'e.g. do_not_call, wrong_number',
  description:
    'Outcomes after which the person is put on the list: labels of your script, in its language, or keys, in any spelling, separated by commas, semicolons or lines. Call Customer and Wait hears them, or a trigger or Place Scheduled Calls on a call log.',
  hint: 'Needs Do-Not-Call List, and a node that hears the outcome',
};

export const doNotCallTableOfCampaigns = tableField(
  'The data table of n8n that names the people who are left out when the campaign is created. Later changes do not reach the campaign.',
);

/** Reads which table is the list; undefined when none is set, or after noting a mistake. */
export function readDoNotCallTable(parameters: RuleParameters): DoNotCallSetting | undefined {
  if (!parameters.has(PATH)) return undefined;
  const given = parameters.value(PATH);
  const locator = readTableLocator(given);
  if (locator !== undefined) {
    // The code that reads the call's phone number notes a mistyped country.
    const code = parameters.text('options.defaultCountry')?.trim().toUpperCase() ?? '';
    return { locator, defaultCountry: isCountry(code) ? code : undefined };
  }
  const isNameless = isBlank(isRecord(given) ? given.value : given);
  const advice = `Choose a data table under "${DO_NOT_CALL_LIST}", or remove the rule.`;
  parameters.refuse(DO_NOT_CALL_LIST, isNameless ? 'is empty' : 'names no data table', advice);
  return undefined;
}

/** Checks the outcomes, which `callLog/table/doNotCallTable.ts` reads when a call ends. */
function checkOutcomes(parameters: RuleParameters): void {
  if (!parameters.has('rules.doNotCallOutcomes')) return;
  const outcomes = parameters.outcomes('rules.doNotCallOutcomes', OUTCOMES) ?? [];
  if (outcomes.length === 0)
    parameters.refuse(OUTCOMES, 'are empty', 'Enter outcomes, or remove the rule.');
  if (!parameters.has(PATH)) {
    const advice = 'People are added to the table of this rule.';
    parameters.refuse(OUTCOMES, `need the rule ${DO_NOT_CALL_LIST}`, advice);
  }
  const isHeard =
    parameters.value('callLog') === 'dataTable' ||
    parameters.value('operation') === 'triggerAndWait';
  if (isHeard) return;
  const advice = 'Only these learn how the call has ended.';
  parameters.refuse(OUTCOMES, 'need a call log, or Call Customer and Wait', advice);
}

function read(parameters: RuleParameters, { request }: RuledCall): SetRule | undefined {
  checkOutcomes(parameters);
  const setting = readDoNotCallTable(parameters);
  if (setting === undefined) return undefined;
  return async ({ context, shared }) => {
    const lists = shared('doNotCallLists', () => new DoNotCallLists(context));
    let isListed = false;
    const objection = async (): Promise<Objection | undefined> => {
      isListed ||= (await lists.reasonFor(setting, request.customerPhone)) !== undefined;
      return isListed ? { reason: 'doNotCall' } : undefined;
    };
    // A list that cannot be read is told before anybody is called.
    await objection();
    return { objection };
  };
}

/** The list is read before the first call, a minute later again, and after this process has put somebody on a list. */
export const doNotCall: RuleKind = { fields: [doNotCallTable, doNotCallOutcomes], read };
