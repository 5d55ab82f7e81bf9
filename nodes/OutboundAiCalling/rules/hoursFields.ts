import type { INodeProperties } from 'n8n-workflow';
import { USUAL_HOURS } from './hours';

export const CUSTOMERS_TIMEZONE = "Customer's Time Zone";

const customersTimezone: INodeProperties = {
  displayName: CUSTOMERS_TIMEZONE,
  name: 'customersTimezone',
  type: 'boolean',
  default: false,
  description:
    "Whether the hours must hold in every time zone of the customer's country, which the phone number tells. Wide countries leave little time: of 09:00 to 18:00, US numbers have about 2 hours. For numbers of no country, the time zone above counts.",
};

/** Hidden, but n8n stores its value: a switch that is on is refused, not silently off. */
const unknownCustomers: INodeProperties = {
  displayName: CUSTOMERS_TIMEZONE,
  name: 'customersTimezone',
  type: 'hidden',
  default: false,
};

/** A person who adds the hours finds them filled in. */
function hoursField(description: string, lastField: INodeProperties): INodeProperties {
  const { days, timezone } = USUAL_HOURS;
  return {
    displayName: 'Calling Hours',
    name: 'callingHours',
    type: 'fixedCollection',
    default: { hours: { ...USUAL_HOURS, customersTimezone: false } },
    placeholder: 'Set calling hours',
    description,
    options: [
      {
        displayName: 'Hours',
        name: 'hours',
        values: [
          {
            displayName: 'Start',
            name: 'start',
            type: 'string',
            // n8n gives these in place of hours in a form that it does not know, such as a list: they have to be refused.
            default: '',
            placeholder: 'e.g. 09:00',
          },
          {
            displayName: 'End',
            name: 'end',
            type: 'string',
            default: '',
            placeholder: 'e.g. 18:00',
            description:
              'An end before the start means hours over midnight; equal times mean the whole day',
          },
          {
            displayName: 'Days',
            name: 'days',
            type: 'multiOptions',
            default: [...days],
            options: [
              { name: 'Friday', value: 'fri' },
              { name: 'Monday', value: 'mon' },
              { name: 'Saturday', value: 'sat' },
              { name: 'Sunday', value: 'sun' },
              { name: 'Thursday', value: 'thu' },
              { name: 'Tuesday', value: 'tue' },
              { name: 'Wednesday', value: 'wed' },
            ],
          },
          {
            displayName: 'Time Zone Name or ID',
            name: 'timezone',
            type: 'options',
            typeOptions: { loadOptionsMethod: 'getTimezones' },
            default: timezone,
            description:
              'Time zone of the hours. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
          },
          lastField,
        ],
      },
    ],
  };
}

/** What to do with an item outside the hours; `skip` says what Skip does instead of calling. */
function outsideField(skip: string): INodeProperties {
  return {
    displayName: 'Outside Calling Hours',
    name: 'outsideCallingHours',
    type: 'options',
    default: 'skip',
    options: [
      {
        name: 'Fail',
        value: 'fail',
        description:
          'Call nobody and fail, even when only one item is outside the hours. When On Error is set to continue, others are called.',
      },
      {
        name: 'Skip',
        value: 'skip',
        description: `${skip}, and return the item with the next allowed time`,
      },
    ],
    description: 'What to do with an item when calling is not allowed now',
  };
}

export const hoursOfCalls: INodeProperties[] = [
  hoursField('When customers may be called', customersTimezone),
  outsideField('Do not call'),
];

export const hoursOfScheduledCalls = hoursField(
  'When customers may be called. A call that is due outside the hours waits for them.',
  customersTimezone,
);

const WHEN_STARTED = 'When a campaign may be started. It does not pause when the hours end.';

export const hoursOfNewCampaigns: INodeProperties[] = [
  hoursField(WHEN_STARTED, customersTimezone),
  outsideField('Create the campaign without starting it'),
];

export const hoursOfUnknownCustomers: INodeProperties[] = [
  hoursField(WHEN_STARTED, unknownCustomers),
  outsideField('Change nothing'),
];
