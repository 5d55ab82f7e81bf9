import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { callLogTable, options, scriptId } from '../../fields';
import { tellHint } from '../../hints';
import { StoredParameters } from '../../rules/storedParameters';
import { refuseTooManyCalls } from '../../rules/maxCalls';
import { readRulesAhead, Rules, scheduleRules } from '../../rules/rules';
import { eachItem } from '../eachItem';
import type { ItemParameters } from '../itemParameters';
import type { Operation } from '../operation';
import { defaultCountry } from '../phoneNumbers';
import { scriptVariables } from '../scriptVariables';
import { identityOf, readAskedCall } from './askedCall';
import { callAt, readCallAt } from './callAt';
import { additionalFields, customerPhone } from './callRequest';
import { attemptSettings } from './attemptSettings';
import { readRetryPlan, retry } from './retryPlan';
import { scheduleCalls, type CallToSchedule } from './scheduling';
import { tellNotCalled } from './tellNotCalled';

const scheduleAgain: INodeProperties = {
  displayName: 'Schedule Again',
  name: 'scheduleAgain',
  type: 'boolean',
  default: true,
  description:
    'Whether to schedule a call even when the log has one for the same order and phone that waits or rings',
};

const fields: INodeProperties[] = [
  {
    displayName:
      'Writes the calls into a data table and rings nobody. This node with the operation Place Scheduled Calls places them, here or in another workflow, when a Schedule Trigger runs it every minute.',
    name: 'scheduleNotice',
    type: 'notice',
    default: '',
  },
  scriptId,
  customerPhone,
  callAt,
  additionalFields,
  ...scriptVariables,
  callLogTable,
  scheduleRules,
  options(defaultCountry, retry, scheduleAgain),
];

function readCallToSchedule(parameters: ItemParameters): CallToSchedule {
  const call = readAskedCall(parameters);
  const isAgain = parameters.switch(`options.${scheduleAgain.name}`, 'Schedule Again', false);
  const stored = attemptSettings(parameters, call, readRetryPlan(parameters));
  // Read the stored rules as they are read when the call is due: mistakes show now.
  const asStored = new StoredParameters(stored.rules, stored.settings, (...mistake) =>
    parameters.refuse(...mistake),
  );
  // Extend `call`, do not copy it: rules hold it, and read the call ID that is set later.
  return Object.assign(call, {
    stored,
    dueAt: readCallAt(parameters, Date.now()),
    timezone: parameters.workflowTimezone,
    rules: call.isTestCall ? new Rules([]) : readRulesAhead(asStored, call, isAgain),
  });
}

/** Reports how many calls are due at once: a person may have meant to give a time. */
function tellDueAtOnce(context: IExecuteFunctions, calls: CallToSchedule[]): void {
  const told = calls.filter(({ result }) => result !== undefined && 'item' in result);
  const due = told.filter(({ dueAt, objection }) => !objection && dueAt <= Date.now());
  if (due.length === 0) return;
  const several = `${due.length} of ${calls.length} calls`;
  const are = due.length === 1 ? 'is' : 'are';
  const isDryRun = due.every((call) => call.isDryRun);
  tellHint(context, `${several} ${isDryRun ? 'would be' : are} due at once`, 'info');
}

export const schedule: Operation = {
  option: {
    name: 'Schedule Call',
    value: 'schedule',
    description:
      'Write down a phone call to one real person for later, and for again when nobody answers. Calls nobody now: Place Scheduled Calls does.',
    action: 'Schedule call',
  },
  fields,
  execute: eachItem<CallToSchedule>({
    read: readCallToSchedule,
    identity: (request) => identityOf('schedule', request),
    checkAll: (context, requests) => refuseTooManyCalls(context, requests.length),
    beforehand: scheduleCalls,
    async perform({ result }) {
      if (result === undefined || 'failure' in result) throw result?.failure;
      return await Promise.resolve({ ...result.item });
    },
    afterwards: ({ context }, items, unread) => {
      const calls = items.map(({ request }) => ({
        ...request,
        hasFailed: request.result === undefined || 'failure' in request.result,
      }));
      tellNotCalled(context, calls, unread);
      tellDueAtOnce(context, calls);
    },
  }),
};
