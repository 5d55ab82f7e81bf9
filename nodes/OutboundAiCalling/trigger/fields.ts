import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import {
  callLogTable,
  firstCheckAfterSeconds,
  notice,
  options,
  simplify,
  transcript,
  type NumberField,
} from '../fields';
import { USUAL_OUTCOME } from '../rules/manualExecutions';
import type { TriggerEvent } from './settings';

const EVENTS: Array<INodePropertyOptions & { value: TriggerEvent }> = [
  {
    name: 'Outcome Available',
    value: 'outcomeAvailable',
    description: 'A call has ended and its outcome can be read',
  },
  {
    name: 'Ended Without Outcome',
    value: 'outcomeUnavailable',
    description:
      'An attempt was not placed, was cancelled, is in doubt or was given up; endReason says which. When it is in doubt or was given up, the customer may have been reached.',
  },
];

/** n8n shows at most 26 letters under the trigger's name, so both together must fit. */
const IN_SHORT = { outcomeAvailable: 'Outcome', outcomeUnavailable: 'No Outcome' };

/** The line under the trigger's name on the canvas. */
export const eventsInWords = `={{ [$parameter["events"]].flat().map((event) => (${JSON.stringify(
  IN_SHORT,
)})[event] ?? event).join(", ") }}`;

const events: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  default: ['outcomeAvailable'],
  required: true,
  options: EVENTS,
  description: 'Events that start the workflow',
};

const watch: INodeProperties = {
  displayName: 'Watch',
  name: 'watch',
  type: 'options',
  noDataExpression: true,
  default: 'instance',
  options: [
    {
      name: 'Call IDs at the Service',
      value: 'orderIds',
      description: 'A list of calls, by their numbers at the calling service; each fires once',
    },
    {
      name: 'Call Log',
      value: 'callLog',
      description: 'The calls in a data table of n8n. Nothing is lost when n8n restarts.',
    },
    {
      name: 'This Instance',
      value: 'instance',
      description:
        'Every call that this n8n places with the account of this credential. Needs no set-up.',
    },
  ],
  description: 'Which calls to wait for',
};

const instanceNotice: INodeProperties = {
  ...notice(
    'instanceNotice',
    'When n8n restarts, calls placed since the last outcome are forgotten. In queue mode nothing fires, because other processes place the calls. Where this matters, choose "Data Table" under "Call Log" in the node that places the calls, and watch the call log here.',
  ),
  displayOptions: { show: { watch: ['instance'] } },
};

const orderIds: INodeProperties = {
  displayName: 'Call IDs at the Service',
  name: 'orderIds',
  type: 'string',
  default: '',
  required: true,
  typeOptions: { rows: 3 },
  placeholder: 'e.g. 4821, 4822',
  displayOptions: { show: { watch: ['orderIds'] } },
  description:
    'The numbers of calls at the calling service, as orderId in the output of Call Customer, not the order numbers of your shop. Separated by commas, spaces or new lines, or an array from an expression.',
};

const outcomes: INodeProperties = {
  displayName: 'Outcomes',
  name: 'outcomes',
  type: 'string',
  default: '',
  placeholder: 'e.g. Order confirmed, callback_requested',
  description:
    'Labels or keys of outcomes to fire for, in any spelling, separated by commas, semicolons or lines. A call without an outcome counts by its status, e.g. failed. Leave empty for all.',
};

const callStatuses: INodeProperties = {
  displayName: 'Call Statuses',
  name: 'callStatuses',
  type: 'string',
  default: '',
  placeholder: 'e.g. completed, failed',
  description:
    'Statuses of calls to fire for, in any spelling, separated by commas, semicolons or lines. Leave empty for all.',
};

export const giveUpAfterHours: NumberField = {
  displayName: 'Give Up After (Hours)',
  name: 'giveUpAfterHours',
  type: 'number',
  typeOptions: { minValue: 0.01 },
  default: 24,
  description: 'How long to wait for the outcome of a call',
};

const fastChecks: INodeProperties = {
  displayName: 'Fast Checks',
  name: 'fastChecks',
  type: 'boolean',
  default: true,
  description:
    'Whether a poll lasts up to a minute and looks at young calls every 5 seconds, so that an outcome can fire within seconds instead of at the next poll',
};

const finalOnly: INodeProperties = {
  displayName: 'Last Attempts Only',
  name: 'finalOnly',
  type: 'boolean',
  default: false,
  displayOptions: { show: { '/watch': ['callLog', 'instance'] } },
  description:
    'Whether to fire once for a call with Second Attempts: when no other attempt follows. If the last attempt is not placed, it fires Ended Without Outcome or, without this event, the outcome before. For this, watch a call log.',
};

const simulatedOutcome: INodeProperties = {
  displayName: 'Simulated Outcome',
  name: 'simulatedOutcome',
  type: 'string',
  default: USUAL_OUTCOME,
  description:
    'The outcome of the made-up call that Fetch Test Event shows while no real one has ended; it has no effect in production',
};

export const fields: INodeProperties[] = [
  events,
  watch,
  instanceNotice,
  {
    ...callLogTable,
    hint: 'No table yet? Choose "By Name" and enter a new name: publishing creates it.',
    displayOptions: { show: { watch: ['callLog'] } },
  },
  orderIds,
  simplify,
  options(
    outcomes,
    callStatuses,
    giveUpAfterHours,
    { ...firstCheckAfterSeconds, displayOptions: { show: { '/watch': ['instance'] } } },
    fastChecks,
    finalOnly,
    simulatedOutcome,
    transcript,
  ),
];
