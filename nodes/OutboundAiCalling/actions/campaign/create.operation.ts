import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import type { UnusableContact } from '../../contacts/contact';
import { readContactList, splitContacts, type Part } from '../../contacts/contactList';
import type { CampaignRequest, Read } from '../../service/callingService';
import type { Campaign, CampaignKind, Contact } from '../../service/campaign';
import { CallingServiceError } from '../../service/failure';
import { openDesk, type Desk } from '../desk';
import {
  defaultCountry,
  moreVariables,
  options,
  requestTimeoutSeconds,
  scriptId,
  scriptVariables,
  simplify,
} from '../fields';
import { ItemParameters } from '../itemParameters';
import { mistakesError, nodeError } from '../nodeError';
import { NodeParameters } from '../nodeParameters';
import type { Operation } from '../operation';
import { contactsFields, readContacts } from './contactsSource';

/** "Limits": contacts per campaign-create request. */
const MOST_CONTACTS = 2000;

const fields: INodeProperties[] = [
  scriptId,
  {
    displayName: 'Campaign Name',
    name: 'campaignName',
    type: 'string',
    default: '',
    placeholder: 'e.g. Orders of 3 May',
    description: 'How the campaign is called in the dashboard',
  },
  {
    displayName: 'Kind',
    name: 'kind',
    type: 'options',
    default: 'cod',
    options: [
      {
        name: 'Cash on Delivery',
        value: 'cod',
        description: 'Confirm orders that are paid on delivery',
      },
      {
        name: 'Failed Delivery',
        value: 'ndr',
        description: 'Follow up deliveries that did not arrive',
      },
      { name: 'List', value: 'list', description: 'Call the people of any list' },
    ],
    description: 'What the campaign is for',
  },
  ...contactsFields,
  scriptVariables,
  {
    displayName: 'Start Immediately',
    name: 'startImmediately',
    type: 'boolean',
    default: false,
    description: 'Whether to start dialling as soon as all contacts are loaded',
  },
  simplify,
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add field',
    default: {},
    options: [moreVariables],
  },
  options(
    {
      displayName: 'Contacts per Campaign',
      name: 'contactsPerCampaign',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: MOST_CONTACTS, numberPrecision: 0 },
      default: MOST_CONTACTS,
      description: 'A longer list becomes several campaigns of at most this many contacts',
    },
    defaultCountry,
    {
      displayName: 'Duplicate Contacts',
      name: 'duplicateContacts',
      type: 'options',
      default: 'keep',
      options: [
        { name: 'Keep', value: 'keep', description: 'Call a number as often as it is listed' },
        {
          name: 'Remove by Phone',
          value: 'removeByPhone',
          description: 'Call every number once, with the data of its first row',
        },
      ],
      description: 'What to do with a phone number that is listed twice',
    },
    {
      displayName: 'Invalid Contacts',
      name: 'invalidContacts',
      type: 'options',
      default: 'fail',
      options: [
        { name: 'Fail', value: 'fail', description: 'Create nothing and tell all invalid rows' },
        {
          name: 'Skip',
          value: 'skip',
          description: 'Leave them out and list them under skippedContacts',
        },
      ],
      description: 'What to do with contacts that cannot be called',
    },
    {
      displayName: 'Max Concurrency',
      name: 'maxConcurrency',
      type: 'number',
      typeOptions: { minValue: 1, numberPrecision: 0 },
      default: 5,
      description:
        'How many people of this campaign may be on the telephone at once. The calling service may allow less. Without it, the setting of the account applies.',
    },
    requestTimeoutSeconds,
  ),
];

/** A campaign to be created, whole. */
interface Plan {
  base: Omit<CampaignRequest, 'contacts' | 'name'>;
  name: string | undefined;
  start: boolean;
  parts: Part[];
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

async function readPlan(context: IExecuteFunctions, parameters: ItemParameters): Promise<Plan> {
  const country = parameters.country('options.defaultCountry');
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
  const { variables, missing } = parameters.scriptVariables();
  const { rows, phoneColumn } = await readContacts(context, parameters);
  const { contacts, unusable, duplicates } = readContactList(rows, {
    ...(phoneColumn === undefined ? {} : { phoneColumn }),
    ...(country === undefined ? {} : { defaultCountry: country }),
    removeDuplicates: parameters.text('options.duplicateContacts') === 'removeByPhone',
  });
  if (parameters.text('options.invalidContacts') !== 'skip') {
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
      kind: (parameters.text('kind') ?? 'cod') as CampaignKind,
      startImmediately: false,
      ...(maxConcurrency === 0 ? {} : { maxConcurrency }),
      variables,
    },
    name: parameters.text('campaignName'),
    start: parameters.flag('startImmediately'),
    parts: splitContacts(contacts, size),
    skipped: [...unusable, ...duplicates].sort((a, b) => a.row - b.row),
  };
}

function nameOfPart(name: string | undefined, { part, parts }: Part): string | undefined {
  if (parts === 1) return name;
  return `${name ?? 'Campaign'} (${part}/${parts})`;
}

/** A campaign that exists, with the part of the list that it holds. */
interface CreatedPart {
  part: Part;
  read: Read<Campaign>;
}

/** What became of a plan: the campaigns that exist, and what went wrong, when something did. */
interface Result {
  created: CreatedPart[];
  failure?: unknown;
}

/** Lets a pool without free channels leave a campaign unstarted: it can be started later. */
async function startPart({ read }: CreatedPart, job: string, desk: Desk): Promise<void> {
  const { result } = read;
  const start = async () => await desk.service.controlCampaign(result.campaignId, 'start');
  await desk.ledger.once(`${job} start ${result.campaignId}`, start).then(
    (control) => {
      result.state = control.result.state;
      result.started = true;
      result.message = control.result.message;
    },
    (error: unknown) => {
      if (!(error instanceof CallingServiceError) || error.kind !== 'poolExhausted') {
        return Promise.reject(error);
      }
      result.message = `Created, but not started: ${error.message}. ${error.advice}`;
    },
  );
}

/**
 * Creates all parts, and only then starts them in order: nobody is called from half a list. What
 * was created before a retry of the execution is not created again.
 */
async function carryOut(plan: Plan, job: string, desk: Desk): Promise<Result> {
  const created: CreatedPart[] = [];
  try {
    for (const part of plan.parts) {
      const name = nameOfPart(plan.name, part);
      const request = {
        ...plan.base,
        contacts: part.contacts,
        ...(name === undefined ? {} : { name }),
      };
      const create = async () => await desk.service.createCampaign(request);
      const read = await desk.ledger.once(`${job} create ${part.part}`, create);
      created.push({ part, read: { ...read, result: { ...read.result } } });
    }
    for (const one of plan.start ? created : []) await startPart(one, job, desk);
    return { created };
  } catch (failure) {
    return { created, failure };
  }
}

/** Names the campaigns that exist after a failure, and how to go on. */
function existingSentence(created: CreatedPart[]): string {
  if (created.length === 0) return '';
  const named = created.map(
    ({ part: { part, parts }, read: { result } }) =>
      `${part}/${parts} is campaign ${result.campaignId} (${result.state})`,
  );
  return `These parts exist: ${named.join(', ')}. Retrying this execution creates none of them again. A part that is not started dials nobody until you start it with Campaign > Start.`;
}

function itemOf({ part, read }: CreatedPart, plan: Plan, desk: Desk): IDataObject {
  const listsSkipped = part.part === 1 && plan.skipped.length > 0;
  return desk.present({
    body: read.body,
    result: {
      ...read.result,
      part: part.part,
      parts: part.parts,
      ...(listsSkipped ? { skippedContacts: plan.skipped } : {}),
    },
  });
}

export const create: Operation = {
  option: {
    name: 'Create',
    value: 'create',
    description: 'Load a list of people to be called',
    action: 'Create a campaign',
  },
  fields,
  async execute(context) {
    const node = context.getNode();
    const goOn = context.continueOnFail();
    const items = context.getInputData().map((_, item) => ({ item }));
    const isOneCampaign = context.getNodeParameter('contactsSource', 0) === 'inputItems';
    const jobs = isOneCampaign
      ? [{ itemIndex: 0, pairedItem: items }]
      : items.map((pairedItem) => ({ itemIndex: pairedItem.item, pairedItem }));

    const nodeParameters = new NodeParameters(context);
    const readings = [];
    for (const job of jobs) {
      const parameters = new ItemParameters(nodeParameters, job.itemIndex);
      const plan = await readPlan(context, parameters);
      readings.push({ ...job, plan, mistakes: parameters.mistakes });
    }
    const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
    if (faulty.length > 0 && !goOn) throw mistakesError(node, faulty);

    const desk = await openDesk(context);
    const output: INodeExecutionData[] = [];
    for (const reading of readings) {
      const { itemIndex, pairedItem, plan, mistakes } = reading;
      const addError = (error: NodeApiError | NodeOperationError) =>
        output.push({ json: { error: error.message }, error, pairedItem });
      if (mistakes.length > 0) {
        addError(mistakesError(node, [reading]));
        continue;
      }
      const { created, failure } = await carryOut(plan, String(itemIndex), desk);
      const error =
        failure === undefined
          ? undefined
          : nodeError(node, failure, itemIndex, existingSentence(created));
      if (error !== undefined && !goOn) throw error;
      output.push(...created.map((one) => ({ json: itemOf(one, plan, desk), pairedItem })));
      if (error !== undefined) addError(error);
    }
    return output;
  },
};
