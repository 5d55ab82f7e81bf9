import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { SCHEDULED } from '../../callLog/states';
import { isoIn } from '../../clocks';
import { callLogTable, notice, options, scriptId } from '../../fields';
import { tellHint } from '../../hints';
import { clocksOfHours } from '../../rules/callingHours';
import { NIGHT, zoneInNight } from '../../rules/hoursHints';
import { callNotice } from '../../rules/manualExecutions';
import { StoredParameters } from '../../rules/storedParameters';
import { refuseTooManyCalls } from '../../rules/maxCalls';
import { readRulesAhead, Rules, scheduleRules } from '../../rules/rules';
import { groupBy } from '../../collections';
import { eachItem } from '../eachItem';
import type { ItemParameters } from '../itemParameters';
import type { Operation } from '../operation';
import { customerPhone, defaultCountry } from '../phoneFields';
import { scriptVariables } from '../scriptVariables';
import { identityOf, readAskedCall } from './askedCall';
import { callAt, readCallAt } from './callAt';
import { additionalFields } from './callRequest';
import { attemptSettings } from './attemptSettings';
import { readRetryPlan, retry } from './retryPlan';
import { scheduleCalls, type CallToSchedule } from './scheduleCalls';
import { tellNotCalled } from './tellNotCalled';

const scheduleAgain: INodeProperties = {
  displayName: 'Schedule Again',
  name: 'scheduleAgain',
  type: 'boolean',
  default: true,
  description:
    'Whether to schedule a call even when the log has one for the same order and phone that waits or rings. Prevent Duplicates skips it all the same.',
};

const fields: INodeProperties[] = [
  notice(
    'scheduleNotice',
    'Writes the calls into a data table and rings nobody. This node with the operation Place Scheduled Calls places them, here or in another workflow, when a Schedule Trigger runs it every minute.',
  ),
  callNotice(
    'Execute step schedules calls to these customers, as a published workflow does. To try it without, use "Manual Executions" under "Rules".',
  ),
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
  const asked = readAskedCall(parameters);
  const isAgain = parameters.switch(`options.${scheduleAgain.name}`, 'Schedule Again', false);
  const stored = attemptSettings(parameters, asked, readRetryPlan(parameters));
  // Read the stored rules as they are read when the call is due: mistakes show now.
  const note = parameters.refuse.bind(parameters);
  const asStored = new StoredParameters(stored.rules, stored.settings, note, { isDue: false });
  const clocks = clocksOfHours(asStored, asked.request.customerPhone);
  // Extend `asked`, do not copy it: rules hold it, and read the call ID that is set later.
  const call = Object.assign(asked, readCallAt(parameters, Date.now(), clocks));
  return Object.assign(call, {
    stored,
    timezone: parameters.workflowTimezone,
    rules: call.isTestCall ? new Rules([]) : readRulesAhead(asStored, call, isAgain),
  });
}

/** Where it is night when a call without calling hours is due; undefined when it rings by day. */
function nightOf(call: CallToSchedule, now: number): string | undefined {
  const { dueAt, timezone, stored, isTestCall, request } = call;
  if (isTestCall || stored.rules.callingHours !== undefined) return undefined;
  return zoneInNight(request.customerPhone, timezone, Math.max(dueAt, now));
}

/** Reports calls that are due when a person may not have meant them: at once, or at night. */
function tellWhenDue(context: IExecuteFunctions, calls: CallToSchedule[]): void {
  const isToCome = (item: IDataObject) => item.dryRun === true || item.status === SCHEDULED;
  const scheduled = calls.filter(
    ({ result, objection }) =>
      result !== undefined && 'item' in result && !objection && isToCome({ ...result.item }),
  );
  const now = Date.now();
  const tell = (due: CallToSchedule[], when: string, type: 'info' | 'warning') => {
    if (due.length === 0) return;
    const isDryRun = due.every((call) => call.isDryRun);
    const are = isDryRun ? 'would be' : due.length === 1 ? 'is' : 'are';
    tellHint(context, `${due.length} of ${calls.length} calls ${are} due ${when}`, type);
  };
  const isAtOnce = ({ dueAt }: CallToSchedule) => dueAt <= now;
  tell(scheduled.filter(isAtOnce), 'at once', 'info');
  const byZone = groupBy(scheduled, (call) => nightOf(call, now));
  for (const [zone, atNight] of byZone) {
    if (zone === undefined) continue;
    const night = `at night, between ${NIGHT.from} and ${NIGHT.to} in ${zone}`;
    tell(atNight, `${night}: add the rule "Calling Hours"`, 'warning');
  }
}

/**
 * Reports times that were read as a day, and that may be meant as a time of day. Midnight by the clock of
 * the workflow would be a day again: the time that is proposed is a minute later.
 */
function tellDays(context: IExecuteFunctions, calls: CallToSchedule[]): void {
  const days = calls.filter(({ otherwise, result }) => otherwise !== undefined && result);
  const [first] = days;
  if (first?.otherwise === undefined) return;
  const { otherwise, timezone } = first;
  const clock = isoIn(otherwise, timezone).slice(0, 16).replace('T00:00', 'T00:01');
  const message = `${days.length} of ${calls.length} calls have a "Call At" that is midnight: in UTC, by its own offset or on the clock of the workflow. It counts as the whole day, as most databases give days. If the time is meant, give it by the clock of the workflow: ${clock}`;
  tellHint(context, message, 'info');
}

export const schedule: Operation = {
  option: {
    name: 'Schedule Call',
    value: 'schedule',
    description:
      'Schedule a phone call to one real person, and further attempts when nobody answers. Calls nobody now: Place Scheduled Calls does.',
    action: 'Schedule call',
  },
  fields,
  execute: eachItem<CallToSchedule>({
    read: readCallToSchedule,
    identity: (request) => identityOf('schedule', request),
    checkCount: refuseTooManyCalls,
    beforehand: scheduleCalls,
    async perform(request) {
      const { result } = request;
      if (result === undefined || 'failure' in result) {
        request.hasFailed = true;
        throw result?.failure;
      }
      return { ...result.item };
    },
    afterwards(context, requests, unread) {
      tellNotCalled(context, requests, unread);
      tellWhenDue(context, requests);
      tellDays(context, requests);
    },
  }),
};
