import type { INodeProperties } from 'n8n-workflow';
import { options, requestTimeoutSeconds, scriptId, type NumberField } from '../../fields';
import { callNotice } from '../../rules/manualExecutions';
import { createRules } from '../../rules/rules';
import { defaultCountry } from '../phoneFields';
import { presentationFields } from '../../presentation';
import { moreVariables, scriptVariables } from '../scriptVariables';
import { CAMPAIGN_FIELDS } from './campaignOutput';
import { contactsFields } from './contactsSource';

/** "Limits": contacts per campaign-create request. */
export const MOST_CONTACTS = 2000;

export const contactsPerCampaign: NumberField = {
  displayName: 'Contacts per Campaign',
  name: 'contactsPerCampaign',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: MOST_CONTACTS, numberPrecision: 0 },
  default: MOST_CONTACTS,
  description: 'A longer list becomes several campaigns of at most this many contacts',
};

export const createFields: INodeProperties[] = [
  scriptId,
  {
    displayName: 'Campaign Name',
    name: 'campaignName',
    type: 'string',
    default: '',
    placeholder: 'e.g. Orders of 3 May',
    description: 'Name of the campaign in the dashboard',
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
  ...scriptVariables,
  {
    displayName: 'Start Immediately',
    name: 'startImmediately',
    type: 'boolean',
    default: false,
    description: 'Whether to start dialling as soon as all contacts are loaded',
  },
  callNotice(
    'Execute step makes the campaign call these people now, and stopping n8n does not stop it (Campaign > Pause does). To try it without calling anybody, use "Manual Executions" under "Rules".',
    { startImmediately: [false] },
  ),
  ...presentationFields(CAMPAIGN_FIELDS),
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add field',
    default: {},
    options: [moreVariables],
  },
  createRules,
  options(
    contactsPerCampaign,
    defaultCountry,
    {
      displayName: 'Duplicate Contacts',
      name: 'duplicateContacts',
      type: 'options',
      default: 'keep',
      options: [
        {
          name: 'Keep',
          value: 'keep',
          description:
            'Call a number once for each of its orders, and once for each row without an order number',
        },
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
        { name: 'Fail', value: 'fail', description: 'Create nothing, and name all invalid rows' },
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
