import type { INodeProperties } from 'n8n-workflow';

/** The options that keep people from being called twice, too often or at the wrong time. */

export const preventDuplicates: INodeProperties = {
  displayName: 'Prevent Duplicates',
  name: 'preventDuplicates',
  type: 'boolean',
  default: true,
  description:
    'Whether to skip an item whose key was called before by this node, in this or an earlier execution',
};

export const duplicateKey: INodeProperties = {
  displayName: 'Duplicate Key',
  name: 'duplicateKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.orderNumber }}',
  description:
    'What makes two calls the same for Prevent Duplicates. Leave empty to use the order number and the phone number.',
};

export const maxCalls: INodeProperties = {
  displayName: 'Max Calls',
  name: 'maxCalls',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 100,
  description: 'With more items than this, the node fails before the first call',
};

export const callingHours: INodeProperties = {
  displayName: 'Calling Hours',
  name: 'callingHours',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Set calling hours',
  description: 'When people may be called',
  options: [
    {
      displayName: 'Hours',
      name: 'hours',
      values: [
        {
          displayName: 'Start',
          name: 'start',
          type: 'string',
          default: '09:00',
          placeholder: 'e.g. 09:00',
        },
        {
          displayName: 'End',
          name: 'end',
          type: 'string',
          default: '18:00',
          placeholder: 'e.g. 18:00',
          description: 'An end before the start means hours over midnight',
        },
        {
          displayName: 'Days',
          name: 'days',
          type: 'multiOptions',
          default: ['mon', 'tue', 'wed', 'thu', 'fri'],
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
          displayName: 'Timezone',
          name: 'timezone',
          type: 'string',
          default: '',
          placeholder: 'e.g. Asia/Kolkata',
          description:
            'Name of the time zone that the hours are meant in. Leave empty for the time zone of the workflow.',
        },
      ],
    },
  ],
};

export const outsideCallingHours: INodeProperties = {
  displayName: 'Outside Calling Hours',
  name: 'outsideCallingHours',
  type: 'options',
  default: 'skip',
  options: [
    { name: 'Fail', value: 'fail', description: 'Stop before the first call with an error' },
    {
      name: 'Skip',
      value: 'skip',
      description: 'Do not call, and return the item with the next allowed time',
    },
  ],
  description: 'What to do with an item when calling is not allowed now',
};
