import type { INodeProperties } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { scriptId } from '../../fields';
import { callNotice } from '../../rules/manualExecutions';
import { objectionToCustomerName, objectionToValueOf } from '../../values';
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

/** Reads and checks all values of a call, so that a mistake never rings anybody. */
export function readCallRequest(parameters: ItemParameters): CallRequest {
  const request: CallRequest = {
    scriptId: parameters.identifier('scriptId', 'Script ID'),
    customerPhone: readPhone(parameters, 'customerPhone', 'Customer Phone'),
    variables: {},
  };
  for (const [name, displayName] of TEXTS) {
    const path = `additionalFields.${name}`;
    const text = parameters.soundText(path, displayName, objectionToValueOf(name));
    if (text !== undefined) request[name] = text;
  }
  const noName = objectionToCustomerName(request.customerName ?? '');
  if (noName !== undefined) {
    parameters.refuse('Customer Name', noName, 'Choose the field with the name of the person.');
  }
  const { variables, missing } = readScriptVariables(parameters);
  refuseMissingVariables(parameters, missing, 'Fill in the fields under "Script Variables".');
  request.variables = variables;
  return request;
}
