import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { callKey, hasEnded, callStateOf } from '../../nodes/OutboundAiCalling/callLog/states';
import {
  givenUpColumns,
  outcomeColumns,
  aheadRow,
  placingColumns,
} from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import {
  isOfTestCall,
  testedCustomer,
} from '../../nodes/OutboundAiCalling/callLog/placing/loggedRequest';
import { numberIn, timeIn } from '../../nodes/OutboundAiCalling/callLog/table/cells';
import { outcomeIn } from '../../nodes/OutboundAiCalling/callLog/rowFacts';
import { readingAsInRow } from '../../nodes/OutboundAiCalling/service/readingAsInRow';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { placedRow } from '../newCalls';
import { fc } from '../generators';

const NOW = Date.UTC(2030, 0, 1);
const ACCOUNT = '0123456789abcdef';
const AHEAD = { at: NOW, batch: 'b' };
const NAMES = LOG_COLUMNS.map(({ name }) => name);
const call = {
  callId: 'a-0-1',
  request: { customerPhone: '+12025550100', scriptId: 7, variables: { brand_name: 'Acme' } },
};
const outcome = readOutcome(
  { callStatus: 'completed', callOutcome: 'Order confirmed', totalCallCost: 0.2, summary: 'Yes' },
  4821,
);

describe('a row of the call log', () => {
  it.each([
    ['whose turn has not come', aheadRow(call, ACCOUNT, AHEAD)],
    ['about to be placed', placingColumns(NOW)],
    [
      'placed',
      placedRow(call, ACCOUNT, {
        status: 'in_progress',
        orderId: 4821,
        placedAt: NOW,
        runAt: NOW + 1,
      }),
    ],
    ['not placed', placedRow(call, ACCOUNT, { status: 'not_placed', reason: 'no', at: NOW })],
    ['ended', outcomeColumns(outcome, NOW)],
    ['given up', givenUpColumns('too old', NOW)],
  ])('%s has columns of the log only', (_, row) => {
    expect(NAMES).toEqual(expect.arrayContaining(Object.keys(row)));
  });

  it('holds what is needed to call again, and not the phone number twice', () => {
    const { request } = aheadRow(call, ACCOUNT, AHEAD);
    expect(JSON.parse(String(request))).toEqual({
      scriptId: 7,
      variables: { brand_name: 'Acme' },
    });
  });

  it('shows that a call rang a test phone, and about whom it was', () => {
    const testCall = { ...call, request: { ...call.request, testCall: true as const } };
    const row: Row = { id: 1, ...aheadRow(testCall, ACCOUNT, AHEAD) };
    expect(row.customerName).toBe('Test call');
    expect(JSON.parse(String(row.request))).toMatchObject({ testCall: true });
    const named = { ...testCall, request: { ...testCall.request, customerName: 'Nathan Smith' } };
    expect(aheadRow(named, ACCOUNT, AHEAD).customerName).toBe('Test call (Nathan Smith)');
    expect(isOfTestCall(row)).toBe(true);
  });

  it('says in whose place a test phone was rung', () => {
    const request = { ...call.request, testCall: true as const, inPlaceOf: '+12025550101' };
    const row: Row = { id: 1, ...aheadRow({ ...call, request }, ACCOUNT, AHEAD) };
    expect(testedCustomer(row)).toBe('+12025550101');
    expect(testedCustomer({ id: 1, request: '{"inPlaceOf":"+12025550101"}' })).toBeUndefined();
  });

  it.each([
    null,
    '',
    'edited',
    '[]',
    '{}',
    '{"testCall":"yes"}',
    aheadRow(call, '', AHEAD).request,
  ])('is of no test call when its request reads %s', (request) =>
    expect(isOfTestCall({ id: 1, request })).toBe(false),
  );

  it('gives back the outcome that was written into it, without a transcript', () => {
    const row = { id: 1, orderId: '4821', ...outcomeColumns(outcome, NOW) };
    expect(hasEnded(row)).toBe(true);
    expect(outcomeIn(row)).toEqual({ ...outcome, transcript: [], transcriptText: '' });
  });

  it.each<object>([
    ...['', ' ', 'No', null].map((summary) => ({ summary })),
    ...['ended', ' completed ', '', 'scheduled'].map((callStatus) => ({ callStatus })),
    ...[' Yes ', 'None', '', null].map((callOutcome) => ({ callOutcome })),
    { callDurationSec: '12', totalCallCost: '0.12', orderNumber: '' },
    { callDurationSec: -1, totalCallCost: null },
  ])('leaves the answer of the service as it came: %j', (more) => {
    const body = { success: true, callStatus: 'completed', summary: 'S', language: 'de', ...more };
    const result = readOutcome(body, 4821);
    const row = { id: 1, orderId: '4821', ...outcomeColumns(result, NOW) };
    const inRow = outcomeIn(row);
    if (inRow === undefined) throw new Error('no outcome');
    expect(readingAsInRow({ finished: true, result, body }, inRow).body).toBe(body);
  });

  it('gives the key of an outcome that a person has written without one', () => {
    const row = { id: 1, orderId: '4821', status: 'completed', outcome: 'Order confirmed' };
    expect(outcomeIn(row)).toMatchObject({ outcomeKey: 'order_confirmed' });
    expect(outcomeIn({ ...row, outcome: null })).toMatchObject({ outcomeKey: null });
  });

  it.each([
    'scheduled',
    'placing',
    'in_progress',
    'not_placed',
    'maybe_placed',
    'given_up',
    'cancelled',
    'ended_cancelled',
  ])('has ended when the service ends its call with our word %s', (callStatus) => {
    const columns = outcomeColumns({ ...outcome, callStatus }, NOW);
    const row: Row = { id: 1, orderId: '4821', ...columns };
    expect(callStateOf(row)).toBe('ended');
    expect(row.status).not.toBe(callStatus);
    expect(outcomeIn(row)?.callStatus).toBe(callStatus);
  });

  it('tells the attempts at a call apart, and calls that have no id', () => {
    expect(callKey({ id: 1, callId: 'a', attempt: 2 })).toBe('a#2');
    expect(callKey({ id: 1, callId: 'a' })).toBe('a#1');
    expect(callKey({ id: 1, callId: '' })).not.toBe(callKey({ id: 2, callId: '' }));
  });

  it('can hold anything without breaking the reading', () => {
    const cell = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null));
    const cells = fc.dictionary(fc.constantFrom(...NAMES), cell);
    fc.assert(
      fc.property(cells, (edited) => {
        const row: Row = { id: 1, ...edited };
        const read = outcomeIn(row);
        if (read !== undefined) expect(Number.isSafeInteger(read.orderId)).toBe(true);
        const placedAt = timeIn(row.triggeredAt);
        if (placedAt !== undefined) expect(Number.isFinite(placedAt)).toBe(true);
        const looks = numberIn(row.lookCount);
        if (looks !== null) expect(Number.isFinite(looks)).toBe(true);
        expect(callKey(row)).toMatch(/#/);
      }),
    );
  });
});
