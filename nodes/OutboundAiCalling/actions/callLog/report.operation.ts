import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { NOT_REACHED } from '../../callLog/rowFacts';
import { CallTallies, type GroupBy } from '../../callLog/reading/callTally';
import { findOutOfReach } from '../../callLog/reading/outOfReach';
import { whyNobodyIsCalled } from '../../callLog/reading/whyPlacingStops';
import { TIME_EMPTIED, timeSince, timeUntil } from '../../callLog/reading/readCalls';
import { endedUnplaced, isInDoubt, says } from '../../callLog/states';
import { MANY_CONDITIONS } from '../../callLog/table/accountRows';
import { inParts } from '../../collections';
import { DAY_MS, dayIn, isoIn, startOfDay } from '../../clocks';
import { inSlices } from '../../eventLoopSlices';
import type { Condition, Row } from '../../dataTables/dataTables';
import { callLogTable, options } from '../../fields';
import { tellHint } from '../../hints';
import { isEmpty, textOrJson } from '../../values';
import { readOutcomeList } from '../../service/outcomeList';
import { withoutKeys } from '../../withoutKeys';
import type { ItemParameters } from '../itemParameters';
import type { Operation } from '../operation';
import { readTime } from '../times';
import { eachCallLog, readCallLogTable } from './callLogItem';
import { groupsOf, totalsOf, type Report, type ReportOutput } from './report';
import { reportPage } from './reportPage';

/** How many days a report covers by default, including the last one. */
const USUAL_DAYS = 30;
const GROUPS: GroupBy[] = ['day', 'outcome', 'script'];

const fields: INodeProperties[] = [
  { ...callLogTable, hint: '' },
  {
    displayName: 'From',
    name: 'from',
    type: 'dateTime',
    default: '',
    description:
      'Counts calls that were placed from this time on. A time without an offset is in the time zone of the workflow. Leave empty for the 30 days up to To.',
  },
  {
    displayName: 'To',
    name: 'to',
    type: 'dateTime',
    default: '',
    description:
      'Counts calls that were placed up to this time. A date alone, or with the time 00:00, includes the whole of that day. Leave empty for now.',
  },
  {
    displayName: 'Group By',
    name: 'groupBy',
    type: 'options',
    default: 'day',
    options: [
      {
        name: 'Day',
        value: 'day',
        description:
          'A group for each day on which calls were placed, in the time zone of the workflow',
      },
      { name: 'Outcome', value: 'outcome', description: 'A group for each outcome' },
      { name: 'Script', value: 'script', description: 'A group for each script' },
    ],
    description: 'How the report groups its numbers, after the totals',
  },
  options({
    displayName: 'Not Reached Outcomes',
    name: 'notReachedOutcomes',
    type: 'string',
    default: NOT_REACHED.join(', '),
    placeholder: 'e.g. no_answer, voicemail',
    description:
      'Outcomes in which the customer was not reached, as labels or keys. A call counts as reached when its status is completed and it has an outcome that is none of these.',
  }),
];

const PATH = 'options.notReachedOutcomes';

function readNotReached(parameters: ItemParameters): ReadonlySet<string> {
  if (!parameters.has(PATH)) return new Set(NOT_REACHED);
  const list = parameters.outcomes(PATH, 'Not Reached Outcomes');
  if (list === undefined) {
    parameters.refuse('Not Reached Outcomes', 'is not a list', 'Enter texts separated by commas.');
  } else if (list.length === 0 && !parameters.isLeftEmpty(PATH)) {
    const advice =
      'Check its expression. To count every call with a label as reached, leave it empty.';
    parameters.refuse('Not Reached Outcomes', 'names no outcome', advice);
  }
  return new Set(list);
}

/** The first and the last instant of a report or of a time that was given, in milliseconds since 1970. */
interface Period {
  from: number;
  to: number;
}

/** The offset of a time, unless it is UTC: databases give days in UTC, whatever clock is meant. */
const OFFSET = /[T ].*[+-](?!00)\d\d:?(?:\d\d)?$/;

/** Midnight as the end of a day is an instant: nobody means the next day by it. */
const ENDS_DAY = /[T ]24:/i;

/** What a time stands for: an instant, or a day on the clock of its offset, or of the time zone. */
function periodOf(value: unknown, timezone: string): Period | undefined {
  const time = readTime(value, timezone);
  const text = textOrJson(value);
  if (time?.day === undefined || ENDS_DAY.test(text)) return time && { from: time.at, to: time.at };
  const { day, at, instant = at } = time;
  const from = OFFSET.test(text) ? instant : at;
  return { from, to: (from === at ? startOfDay(day, timezone, 1) : from + DAY_MS) - 1 };
}

/** @returns `unsaid`: what begins or ends as if it were left empty, because its expression gives nothing */
function readPeriod(parameters: ItemParameters, now: number): Period & { unsaid: string[] } {
  const timezone = parameters.workflowTimezone;
  const unsaid: string[] = [];
  const read = (name: 'from' | 'to', displayName: string) => {
    const value = parameters.value(name);
    if (isEmpty(value)) {
      if (!parameters.isLeftEmpty(name)) unsaid.push(`"${displayName}"`);
      return undefined;
    }
    const period = periodOf(value, timezone);
    if (period === undefined) {
      parameters.refuse(
        displayName,
        'is not a date and time between 2000 and 2100',
        'Enter it like 2026-11-21 or 2026-11-21T18:00, or give a date in an expression, e.g. {{ $now.minus(7, "days") }}.',
      );
    }
    return period;
  };
  const [first, last] = [read('from', 'From'), read('to', 'To')];
  const to = last?.to ?? now;
  const from = first?.from ?? startOfDay(dayIn(to, timezone), timezone, 1 - USUAL_DAYS);
  if (from > to && parameters.mistakes.length === 0) {
    parameters.refuse('From', 'is after "To"', 'Exchange them, or leave one of them empty.');
  }
  return { from, to, unsaid };
}

function isWithin({ from, to }: Period, column: 'triggeredAt' | 'finishedAt'): Condition[] {
  return [timeSince(column, from), timeUntil(column, to)];
}

/** Reads the rows of the period, and those in which a person has emptied the time of placing. */
async function readInto(
  calls: CallTallies,
  log: CallLog,
  period: Period,
  signal: AbortSignal,
): Promise<void> {
  const unplaced = (['not_placed', 'cancelled'] as const).map((status) => [
    says(status),
    ...isWithin(period, 'finishedAt'),
  ]);
  const undecided: Array<Partial<Row>> = [];
  const add = async (rows: Row[]) =>
    await inSlices(rows, (row) => {
      if (isInDoubt(row) || endedUnplaced(row)) undecided.push({ callId: row.callId });
      calls.add(row);
    });
  for (const conditions of [isWithin(period, 'triggeredAt'), TIME_EMPTIED, ...unplaced]) {
    await log.eachPage(conditions, add, signal);
  }
  // Another row of such an attempt may count, which the filters above leave out.
  for (const some of inParts(undecided, MANY_CONDITIONS)) {
    await inSlices(await log.rowsOfCalls(some), (row) => calls.add(row));
  }
}

export const report: Operation = {
  option: {
    name: 'Report',
    value: 'report',
    description:
      'Count the calls of a period: calls, reached, minutes, cost, cost per reached call, and an HTML page with charts. Changes nothing.',
    action: 'Report on calls',
  },
  fields,
  execute: eachCallLog({
    read: (parameters) => ({
      table: readCallLogTable(parameters),
      ...readPeriod(parameters, Date.now()),
      groupBy: parameters.choice('groupBy', 'Group By', GROUPS, 'day'),
      notReached: readNotReached(parameters),
      shownAsNotReached: parameters.has(PATH) ? parameters.value(PATH) : NOT_REACHED,
      timezone: parameters.workflowTimezone,
    }),
    async perform(request, log, { cancelled, context }) {
      const { from, to, unsaid, groupBy, timezone } = request;
      for (const name of unsaid) {
        const message = `${name} has an expression that gives nothing, and counts as left empty: check the name of its field.`;
        tellHint(context, message, 'warning');
      }
      const calls = new CallTallies({ ...request, dayOf: (at) => dayIn(at, timezone) });
      await readInto(calls, log, request, cancelled);
      await inSlices(calls.decided(), (call) => calls.count(call));
      const ofOthers = [isWithin(request, 'triggeredAt'), [says('scheduled')]];
      const overdue = await whyNobodyIsCalled(log, timezone);
      const warnings = [
        ...(await findOutOfReach(log, { ofOthers })).map(({ sentence }) => sentence),
        ...(overdue === undefined ? [] : [overdue]),
      ];
      for (const sentence of warnings) tellHint(context, sentence, 'warning');
      const result: Report = {
        from: isoIn(from, timezone),
        to: isoIn(to, timezone),
        timezone,
        groupBy,
        totals: totalsOf(calls.totals),
        groups: groupsOf(calls.groups, groupBy),
      };
      // In a key of outcomes nobody would recognise a key of the credential any more.
      const shown = withoutKeys(context, request.shownAsNotReached);
      const notReached = new Set(readOutcomeList(shown));
      const table = withoutKeys(context, log.name);
      const html = reportPage(result, { table, notReached, calls, warnings });
      const output: ReportOutput = { ...result, html };
      return output as unknown as IDataObject;
    },
  }),
};
