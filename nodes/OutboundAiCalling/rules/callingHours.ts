import type { INodeProperties } from 'n8n-workflow';
import { isAllowedAt, nextAllowedAt, readCallingHours, type CallingHours } from './hours';
import type { RuleKind, RuleParameters, SetRule } from './rule';

/** When people may be called. */
const callingHoursField: INodeProperties = {
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

/** What becomes of an item outside the hours. */
const outsideCallingHours: INodeProperties = {
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

/**
 * Reads "Calling Hours". With "Outside Calling Hours: Fail" a call that is not allowed now is a
 * mistake, told before anything is sent.
 *
 * @returns undefined when no hours were added
 */
function read(parameters: RuleParameters): SetRule | undefined {
  const outside = parameters.choice(
    'rules.outsideCallingHours',
    'Outside Calling Hours',
    ['fail', 'skip'],
    'skip',
  );
  if (!parameters.has('rules.callingHours')) return undefined;
  const set = parameters.value('rules.callingHours.hours');
  const reading = readCallingHours(set, parameters.workflowTimezone);
  if ('mistakes' in reading) {
    for (const { message, advice } of reading.mistakes) {
      parameters.refuse('Calling Hours', message, advice);
    }
    return undefined;
  }
  const { hours } = reading;
  if (outside === 'fail') refuseOutside(parameters, hours);
  return async () => ({
    objection: async () => {
      const now = new Date();
      if (isAllowedAt(now, hours)) return undefined;
      return { reason: 'outsideCallingHours', nextAllowedAt: nextAllowedAt(now, hours) };
    },
  });
}

function refuseOutside(parameters: RuleParameters, hours: CallingHours): void {
  const now = new Date();
  if (isAllowedAt(now, hours)) return;
  const next = nextAllowedAt(now, hours);
  parameters.refuse(
    'Calling Hours',
    `do not allow a call now (timezone ${hours.timezone})`,
    next === undefined ? undefined : `The next allowed time is ${next.toISOString()}.`,
  );
}

/** Nobody is called at night. */
export const callingHours: RuleKind = { fields: [callingHoursField, outsideCallingHours], read };
