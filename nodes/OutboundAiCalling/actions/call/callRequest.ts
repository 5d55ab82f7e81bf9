import type { INodeProperties } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { visible } from '../../alike';
import { scriptId } from '../../fields';
import { callNotice } from '../../rules/manualExecutions';
import { objectionToCustomerName, objectionToValueOf } from '../../objections';
import type { ItemParameters } from '../itemParameters';
import { customerPhone, readPhone } from '../phoneFields';
import { presentationFields } from '../../presentation';
import {
  moreVariables,
  readScriptVariables,
  refuseMissingVariables,
  scriptVariables,
} from '../scriptVariables';

export const additionalFields: INodeProperties = {
  displayName: 'Additional Fields',
  name: 'additionalFields',
  type: 'collection',
  placeholder: 'Add field',
  // Show the order number from the start: it tells calls about two orders of one customer apart.
  default: { orderNumber: '' },
  options: [
    {
      displayName: 'Campaign Name',
      name: 'campaignName',
      type: 'string',
      default: '',
      placeholder: 'e.g. Autumn sale',
      description: 'Label under which the calling service reports this call',
    },
    {
      displayName: 'Customer Name',
      name: 'customerName',
      type: 'string',
      default: '',
      placeholder: 'e.g. Nathan Smith',
      description: 'How the agent addresses the customer',
    },
    moreVariables,
    {
      displayName: 'Order Notes',
      name: 'orderNotes',
      type: 'string',
      default: '',
      typeOptions: { rows: 3 },
      placeholder: 'e.g. Two parcels, deliver after 5 pm',
      description: 'Further order details for the agent',
    },
    {
      displayName: 'Order Number',
      name: 'orderNumber',
      type: 'string',
      default: '',
      placeholder: 'e.g. 1042',
      description:
        'The number of the order in your shop. It comes back with the outcome, and tells calls to the same customer about different orders apart.',
    },
  ],
};

/** The fields that say whom to call and what about. `selectable` are the output fields to choose from. */
export const placingFields = (selectable: readonly string[]): INodeProperties[] => [
  scriptId,
  callNotice(
    'Execute step rings this phone now, and stopping n8n does not hang up. To try the workflow without calling customers, use "Manual Executions" under "Rules".',
  ),
  { ...customerPhone, description: `${customerPhone.description}. It rings at once.` },
  additionalFields,
  ...scriptVariables,
  ...presentationFields(selectable),
];

const TEXTS = [
  ['customerName', 'Customer Name'],
  ['orderNumber', 'Order Number'],
  ['orderNotes', 'Order Notes'],
  ['campaignName', 'Campaign Name'],
] as const;

/** In characters. n8n must be able to give a page of rows with such texts in one answer. */
export const LONGEST_TEXTS = 10_000;

function refuseLongTexts(parameters: ItemParameters, request: CallRequest): void {
  const texts = [
    ...TEXTS.map(([name, displayName]) => ({ displayName, text: request[name] ?? '' })),
    ...Object.entries(request.variables).map(([name, text]) => ({
      displayName: `Script Variables, "${name}",`,
      text,
    })),
  ].sort((a, b) => b.text.length - a.text.length);
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  const [longest] = texts;
  if (longest === undefined || characters <= LONGEST_TEXTS) return;
  const objection = `is too long: the texts of a call may have ${LONGEST_TEXTS} characters together, and these have ${characters}`;
  parameters.refuse(longest.displayName, objection, 'Give the call less to say.');
}

/** Reads and checks all values of a call, so that a mistake never rings anybody. */
export function readCallRequest(parameters: ItemParameters): CallRequest {
  const request: CallRequest = {
    scriptId: parameters.identifier('scriptId', 'Script ID'),
    customerPhone: readPhone(parameters, 'customerPhone', 'Customer Phone'),
    variables: {},
  };
  for (const [name, displayName] of TEXTS) {
    const path = `additionalFields.${name}`;
    const text = parameters.soundText(path, displayName, objectionToValueOf(name)) ?? '';
    // Conditions of n8n find an order number to the letter.
    const sent = name === 'orderNumber' ? visible(text) : text;
    if (sent !== '') request[name] = sent;
  }
  const noName = objectionToCustomerName(request.customerName ?? '');
  if (noName !== undefined) {
    parameters.refuse('Customer Name', noName, 'Choose the field with the name of the person.');
  }
  const { variables, missing } = readScriptVariables(parameters);
  refuseMissingVariables(parameters, missing, 'Fill in the fields under "Script Variables".');
  request.variables = variables;
  refuseLongTexts(parameters, request);
  return request;
}
