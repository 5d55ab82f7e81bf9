import type { INodeProperties } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { calledAt } from '../../callLog/rowFacts';
import { DataTableError } from '../../dataTables/dataTableError';
import { holds, type Row } from '../../dataTables/dataTables';
import { endsToHandOver } from '../../callLog/ends/cursors';
import { findOutOfReach } from '../../callLog/reading/outOfReach';
import { isOfPhone, likePhone, type PhoneInLog } from '../../callLog/reading/rowsOfPhone';
import { isoTime } from '../../callLog/table/cells';
import { Pruning, type Pruned } from '../../callLog/prune';
import { testedCustomer } from '../../callLog/placing/loggedRequest';
import { DAY_MS, HOUR_MS } from '../../clocks';
import { mayName } from '../../contacts/numbersIn';
import { callLogTable, notice, options } from '../../fields';
import { tellHint } from '../../hints';
import { defined } from '../../http/json';
import type { ItemExecution } from '../itemWork';
import type { ItemParameters } from '../itemParameters';
import type { Operation } from '../operation';
import { customerPhone, defaultCountry, readDefaultCountry, readPhone } from '../phoneFields';
import { eachCallLog, readCallLogTable } from './callLogItem';

const DAYS = { min: 1, max: 36_500 };
const USUAL_DAYS = 90;
/** Younger calls stay: a daily cap may count them. A person's day has 25 hours at most, and in some countries eleven clocks. */
const COUNTED_FOR_MS = 36 * HOUR_MS;

/** The node that called finds its keys in n8n's own store, too. */
const NOT_FOUND =
  'Prevent Duplicates of other nodes, and retries of failed executions, no longer find these calls';

const fields: INodeProperties[] = [
  notice(
    'pruneNotice',
    'Deletes rows for good. Rows of scheduled and open calls stay, and outcomes that a trigger has not handed over yet. Only rows that were written with the API key of the credential are deleted.',
  ),
  { ...callLogTable, hint: '' },
  {
    displayName: 'Prune By',
    name: 'pruneBy',
    type: 'options',
    noDataExpression: true,
    default: 'age',
    options: [
      {
        name: 'Age',
        value: 'age',
        description: `Delete the rows of calls that were placed long ago. ${NOT_FOUND}.`,
      },
      {
        name: 'Phone',
        value: 'phone',
        description: `Delete everything about one person, whenever the calls were placed. Test calls go too, and the daily cap of this person starts again at 0. ${NOT_FOUND}.`,
      },
    ],
    description: 'Which rows to delete',
  },
  {
    displayName: 'Older Than (Days)',
    name: 'olderThanDays',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: USUAL_DAYS,
    displayOptions: { show: { pruneBy: ['age'] } },
    description:
      'Deletes rows of calls that were placed more than this many days (of 24 hours) ago. If nobody was called, the time at which the row was written counts.',
  },
  {
    ...customerPhone,
    displayOptions: { show: { pruneBy: ['phone'] } },
    description:
      'The phone number of the person whose rows are deleted, with country code, in any spelling',
  },
  { ...options(defaultCountry), displayOptions: { show: { pruneBy: ['phone'] } } },
];

type Unwanted = { by: 'age'; keptForMs: number } | ({ by: 'phone' } & PhoneInLog);

function readUnwanted(parameters: ItemParameters): Unwanted {
  if (parameters.choice('pruneBy', 'Prune By', ['age', 'phone'], 'age') === 'age') {
    const days = parameters.number('olderThanDays', 'Older Than (Days)', DAYS, USUAL_DAYS);
    return { by: 'age', keptForMs: Math.max(days * DAY_MS, COUNTED_FOR_MS) };
  }
  const phone = readPhone(parameters, 'customerPhone', 'Customer Phone');
  return { by: 'phone', phone, country: readDefaultCountry(parameters) };
}

/** Whether a row names a person, or a test stood for that person. */
function isAbout(row: Row, unwanted: PhoneInLog): boolean {
  return isOfPhone(row, unwanted) || mayName(testedCustomer(row), unwanted.phone);
}

function rowsAre(count: number, one: string, more: string): string {
  return count === 1 ? `1 row ${one}` : `${count} rows ${more}`;
}

function reasonFor({ stillToCome, waitedFor }: Pruned, ofOthers: number): string | undefined {
  const reasons = [
    stillToCome > 0 &&
      `${rowsAre(stillToCome, 'is of a scheduled or open call', 'are of scheduled or open calls')}: prune again when they have ended, or cancel what is scheduled. Into an unknown status write cancelled`,
    ...[...waitedFor].map(
      ([workflow, count]) =>
        `${rowsAre(count, 'has an outcome', 'have outcomes')} for which the workflow "${workflow}" has not run yet: publish it, or wait 40 days. If it watches this log no more, delete its row in the table "Triggers of …" beside the log`,
    ),
    ofOthers > 0 &&
      `${rowsAre(ofOthers, 'of this phone was', 'of this phone were')} not written with this API key: prune with the other credential, or delete them in the table`,
  ].filter((reason) => reason !== false);
  return reasons.length === 0 ? undefined : `${reasons.join('. ')}.`;
}

export type PruneOutput = {
  deleted: number;
  /** How many unwanted rows stay; `reason` says why. */
  kept: number;
  reason?: string;
};

/** Deletes unwanted rows. When it fails midway, the error says how many rows it has deleted. */
async function pruneLog(
  log: CallLog,
  unwanted: Unwanted,
  { context, cancelled }: ItemExecution,
): Promise<PruneOutput> {
  const now = Date.now();
  const ends = await endsToHandOver(log, now);
  let ofOthers = 0;
  const isUnwanted = (row: Row): boolean =>
    unwanted.by === 'age'
      ? (calledAt(row) ?? Infinity) < now - unwanted.keptForMs
      : isAbout(row, unwanted);
  const pruning = new Pruning(log, ends, isUnwanted, now);
  const byAge = async (before: number) => {
    await pruning.deleteEnds(before, cancelled);
    await log.eachPage([], async (rows) => await pruning.take(rows), cancelled);
    const ofOthers = [[holds('createdAt', 'lt', isoTime(before))]];
    for (const { sentence } of await findOutOfReach(log, { ofOthers })) {
      tellHint(context, sentence, 'warning');
    }
  };
  const byPhone = async (phone: string) => {
    const read = new Set<number>();
    const unread = async (rows: Row[]) => {
      const others = rows.filter(({ id }) => !read.has(id));
      for (const { id } of others) read.add(id);
      ofOthers += others.filter((row) => row.account !== log.account && isUnwanted(row)).length;
      await pruning.take(others.filter(({ account }) => account === log.account));
    };
    const { usual, rare } = likePhone(phone);
    for (const isLike of usual) await log.eachPageOfAll([isLike], unread, cancelled);
    await unread(await log.rowsOfAny(rare));
  };
  const { result } = pruning;
  const work = unwanted.by === 'age' ? byAge(now - unwanted.keptForMs) : byPhone(unwanted.phone);
  await work.catch((error: unknown) => {
    if (!(error instanceof DataTableError)) throw error;
    const done = `${rowsAre(result.deleted, 'was', 'were')} deleted before.`;
    throw new DataTableError(error.kind, error.message, `${done} ${error.advice}`);
  });
  if (cancelled.aborted) {
    context.logger.warn(`Pruning was cancelled: ${rowsAre(result.deleted, 'was', 'were')} deleted`);
  }
  const reason = reasonFor(result, ofOthers);
  const waiting = [...result.waitedFor.values()].reduce((sum, count) => sum + count, 0);
  return {
    deleted: result.deleted,
    kept: result.stillToCome + waiting + ofOthers,
    ...defined({ reason }),
  };
}

export const prune: Operation = {
  option: {
    name: 'Prune',
    value: 'prune',
    description:
      'Delete rows of the call log for good: old ones, or everything about one person. Nobody is called.',
    action: 'Prune call log',
  },
  fields,
  execute: eachCallLog({
    read: (parameters) => ({
      table: readCallLogTable(parameters),
      unwanted: readUnwanted(parameters),
    }),
    perform: async ({ unwanted }, log, item) => await pruneLog(log, unwanted, item),
  }),
};
