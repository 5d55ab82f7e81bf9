import type { IDataObject } from 'n8n-workflow';
import {
  numberOf,
  phoneIn,
  TEST_PHONE,
  WEEK,
  type Deed,
  type History,
  type Hours,
} from '../history';
import { DO_NOT_CALL } from '../logRows';
import type { Stage } from '../stage';

/** More calls at once than any history has. */
const MANY = 1_000;

/** Which node does it: also a trial is one of the node that calls. */
export const nodeOf = (deed: Deed): string => (deed.do === 'try' ? deed.what : deed.do);

/** What the workflow of a deed is set to. */
export const settingsOf = ({ settings }: History, deed: Deed): History['settings'] => ({
  ...settings,
  ...deed.settings,
});

/** The parameters with which a node does what a history says. */
export function parametersOf(stage: Stage, deed: Deed): IDataObject {
  const { history, network } = stage;
  const settings = settingsOf(history, deed);
  const { planMinutes, concurrency, maxInProgress = 10, scheduleAgain, notCalledOutput } = settings;
  const plan = { outcomes: 'no_answer', afterMinutes: planMinutes?.join(', ') };
  const retry = planMinutes && { plan };
  const callLogTable = stage.log.choice;
  const pruning = { resource: 'callLog', operation: 'prune', callLogTable };
  switch (deed.do) {
    case 'try': {
      const { what, how, process, orders } = deed;
      const parameters = parametersOf(stage, { do: what, process, orders });
      const testPhone = how === 'testPhone' ? TEST_PHONE : undefined;
      const rules = { ...(parameters.rules as IDataObject), manualExecutions: how, testPhone };
      return { ...parameters, rules };
    }
    case 'schedule': {
      const isLater = deed.delayMinutes !== undefined || deed.callAt !== undefined;
      return {
        ...callOf(settings),
        operation: 'schedule',
        callLogTable,
        callAt: isLater ? '={{ $json.callAt }}' : undefined,
        options: { retry, scheduleAgain },
      };
    }
    case 'call':
    case 'callAndWait':
      return {
        ...callOf(settings),
        operation: deed.do === 'call' ? 'trigger' : 'triggerAndWait',
        callLog: settings.hasNoLog === true ? 'none' : 'dataTable',
        callLogTable,
        options: { retry, concurrency, notCalledOutput },
      };
    case 'cancel': {
      const cancelValue = deed.by === 'phone' ? phoneIn(history, deed.order) : numberOf(deed.order);
      const cancelling = { operation: 'cancelScheduled', cancelBy: deed.by, cancelValue };
      return { resource: 'call', callLogTable, ...cancelling };
    }
    case 'prune':
      return { ...pruning, pruneBy: 'phone', customerPhone: phoneIn(history, deed.order) };
    case 'pruneByAge':
      return { ...pruning, pruneBy: 'age', olderThanDays: 1 };
    default: {
      const options = {
        maxInProgress: network.isCalm ? MANY : maxInProgress,
        keepOnSeconds: deed.do === 'place' ? (deed.keepOnSeconds ?? 0) : 0,
        firstCheckAfterSeconds: 1,
        concurrency,
      };
      return { resource: 'call', operation: 'placeScheduled', callLogTable, options };
    }
  }
}

/** What all nodes that ask for calls have in common. */
function callOf(settings: History['settings']): IDataObject {
  const { hasNoNumbers, hours, doNotCall, doNotCallOutcomes } = settings;
  const { preventDuplicates, maxCostPerDay, maxCallsPerDay, maxCallsPerPersonPerDay } = settings;
  const doNotCallTable = { __rl: true, mode: 'name', value: DO_NOT_CALL };
  return {
    resource: 'call',
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: {
      [hasNoNumbers === true ? 'customerName' : 'orderNumber']: '={{ $json.number }}',
    },
    rules: {
      ...{ preventDuplicates, maxCostPerDay, maxCallsPerDay, maxCallsPerPersonPerDay },
      doNotCallTable: doNotCall === true ? doNotCallTable : undefined,
      doNotCallOutcomes: doNotCallOutcomes === true ? 'Not Interested' : undefined,
      callingHours: hours && { hours: hoursOf(hours) },
      // Without hours it is refused: it has no effect.
      outsideCallingHours: hours && settings.outsideHours,
    },
  };
}

const hoursOf = ({ start, end, isOfCustomers, days, timezone }: Hours): IDataObject => ({
  start,
  end,
  customersTimezone: isOfCustomers === true,
  days: days ?? WEEK,
  timezone: timezone ?? 'workflow',
});
