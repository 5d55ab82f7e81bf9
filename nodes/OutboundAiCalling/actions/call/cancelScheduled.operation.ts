import type { INodeProperties } from 'n8n-workflow';
import {
  cancelScheduled as cancelIn,
  type CancelBy,
  type Cancellation,
} from '../../callLog/scheduling/cancelling';
import { callLogTable, options } from '../../fields';
import { NOBODY_CALLED_YET } from '../../nodeError';
import type { CancelScheduledOutput } from './callOutput';
import { eachCallLog, readCallLogTable } from '../callLog/callLogItem';
import type { ItemParameters } from '../itemParameters';
import type { Operation } from '../operation';
import { customerPhone, defaultCountry, readDefaultCountry, readPhone } from '../phoneFields';
import { objectionToOrderNumber } from '../../objections';
import { readList } from '../../values';

const VALUE = 'cancelValue';

/** The field for the value to cancel by; "Cancel By" decides which of these fields shows. */
function valueField(
  by: string,
  field: Pick<INodeProperties, 'displayName' | 'placeholder' | 'description'>,
): INodeProperties {
  const displayOptions = { show: { cancelBy: [by] } };
  return { ...field, name: VALUE, type: 'string', default: '', required: true, displayOptions };
}

/** The service has another one for each attempt, which Get Outcome asks for. */
const CALL_ID = 'Call ID in the Call Log';

const fields: INodeProperties[] = [
  { ...callLogTable, hint: '' },
  {
    displayName: 'Cancel By',
    name: 'cancelBy',
    type: 'options',
    noDataExpression: true,
    default: 'orderNumber',
    options: [
      {
        name: CALL_ID,
        value: 'callId',
        description: 'The one call to which Schedule Call gave this ID, with all its attempts',
      },
      {
        name: 'Order Number',
        value: 'orderNumber',
        description: 'All scheduled calls about an order, e.g. because the customer has paid',
      },
      {
        name: 'Phone',
        value: 'phone',
        description: 'All scheduled calls to a person, whatever they are about',
      },
    ],
    description:
      'Which calls are not placed any more. A call that rings goes on, but is not tried again.',
  },
  valueField('orderNumber', {
    displayName: 'Order Number',
    placeholder: 'e.g. 1042',
    description: 'The order number that the calls were scheduled with',
  }),
  valueField('callId', {
    displayName: CALL_ID,
    placeholder: 'e.g. 3f8a1c90b2d4-5e77a1c0-9b1d2f3e4a5c',
    description: 'The callId in the output of Schedule Call',
  }),
  valueField('phone', {
    ...customerPhone,
    description: 'The phone number of the person, with its country code',
  }),
  { ...options(defaultCountry), displayOptions: { show: { cancelBy: ['phone'] } } },
];

function readBy(parameters: ItemParameters): CancelBy {
  const ways = ['callId', 'orderNumber', 'phone'] as const;
  const way = parameters.choice('cancelBy', 'Cancel By', ways, 'orderNumber');
  if (way === 'phone') {
    const phone = readPhone(parameters, VALUE, 'Customer Phone');
    return { phone, country: readDefaultCountry(parameters) };
  }
  const name = way === 'callId' ? CALL_ID : 'Order Number';
  const text = parameters.soundText(VALUE, name, objectionToOrderNumber) ?? '';
  if (text === '') {
    const advice = 'An empty value would cancel every call that has none.';
    parameters.refuse(name, 'is missing', advice);
  }
  return way === 'callId' ? { callId: text } : { orderNumber: text };
}

/** What may be the matter with a value that no call has: it may be a list. */
function adviceAbout(by: CancelBy): string {
  const text = 'orderNumber' in by ? by.orderNumber : 'callId' in by ? by.callId : '';
  const isList = /^\[.*\]$/s.test(text) || (readList(text) ?? []).length > 1;
  return isList ? `. "${text}" may be a list: cancel one for each item` : '';
}

function cancellationMessage(of: Cancellation, by: CancelBy): string {
  const unplaced = of.cancelled - of.goOn - of.onceMore;
  const calls: Array<[count: number, one: string, several: string]> = [
    [unplaced, 'is not placed any more', 'are not placed any more'],
    [
      of.onceMore,
      'is being placed and is not tried again',
      'are being placed and are not tried again',
    ],
    [of.goOn, 'goes on and is not tried again', 'go on and are not tried again'],
    [of.placing, 'is being placed and may still ring', 'are being placed and may still ring'],
    [of.inProgress, 'goes on and could not be stopped', 'go on and could not be stopped'],
    [of.cancelledBefore, 'was cancelled before', 'were cancelled before'],
    [of.ended, 'had ended before', 'had ended before'],
    [of.notPlaced, 'was not placed and will not be', 'were not placed and will not be'],
    [of.inDoubt, 'may have been placed', 'may have been placed'],
    [of.unknown, 'may still be placed', 'may still be placed'],
  ];
  const sentences = calls
    .filter(([count]) => count > 0)
    .map(([count, one, several]) => (count === 1 ? `1 call ${one}` : `${count} calls ${several}`));
  const none = `No such call was found${adviceAbout(by)}`;
  const found = sentences.length === 0 ? none : sentences.join('; ');
  const isOfSeveral = 'orderNumber' in by && of.phones > 1;
  const several = isOfSeveral ? [`The cancelled calls were to ${of.phones} phone numbers`] : [];
  return [found, ...several, ...of.outOfReach].join('. ');
}

export const cancelScheduled: Operation = {
  option: {
    name: 'Cancel Scheduled Calls',
    value: 'cancelScheduled',
    description:
      'Keep scheduled calls from being placed, and calls from being tried again. Says how many, and what it could not stop.',
    action: 'Cancel scheduled calls',
  },
  fields,
  execute: eachCallLog({
    nobodyCalled: () => NOBODY_CALLED_YET,
    read: (parameters) => ({ table: readCallLogTable(parameters), by: readBy(parameters) }),
    async perform({ by }, log) {
      const cancellation = await cancelIn(log, by);
      const message = cancellationMessage(cancellation, by);
      return { cancelled: cancellation.cancelled, message } satisfies CancelScheduledOutput;
    },
  }),
};
