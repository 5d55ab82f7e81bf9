import { HOUR_MS, MINUTE_MS } from '../../clocks';
import { holds, LARGEST_PAGE, where, type Condition, type Row } from '../../dataTables/dataTables';
import { PAGE_BY_ID } from '../../dataTables/rowPages';
import type { CallLog } from '../callLog';
import { lastPlacing } from '../lock';
import { textIn, timeIn } from '../table/cells';
import { IN_OTHER_WORDS, SCHEDULED_AND_ENDED, callStateOf, hasEnded, says } from '../states';

/** A published trigger looks at a call far more often. */
const NOBODY_LOOKED_FOR_MS = HOUR_MS;
/** Place Scheduled Calls runs every minute, perhaps in some hours of the day only. */
export const AT_WORK_FOR_MS = HOUR_MS;
const EXCHANGED_AFTER_MS = 5 * MINUTE_MS;

interface Meant {
  about: Condition[];
  isMeant(row: Row): boolean;
}

const USE_AGAIN =
  'use that credential again, or delete the rows and schedule these calls alone again, without Prevent Duplicates';

/** Why no execution works with a row: a description of such rows, and advice for a person. */
const REASONS = {
  otherAccount: ['written with another API key or base URL', USE_AGAIN],
  exchanged: [
    'written with another API key or base URL, which this workflow had before,',
    USE_AGAIN,
  ],
  otherAccountAtWork: [
    'written with another API key or base URL',
    'a workflow with that credential has placed calls of this log within the last hour, and may place these too. When it runs no more, use that credential again',
  ],
  otherAccountDone: [
    'written with another API key or base URL',
    'use that credential again to work with them. Do not schedule their calls again: these people were called, may have been, or are not to be called',
  ],
  noAccount: ['without an account', 'write the account of another row there'],
  noStatus: [
    'with an unknown status',
    'write in_progress there if the row has an orderId, else cancelled. Write scheduled only to have the call placed',
  ],
  endedBefore: [
    'with the status scheduled and a time in finishedAt',
    'empty that cell to have the call placed again, if Schedule Call wrote the row; else write back how it ended',
  ],
} as const;

type Reason = keyof typeof REASONS;
export type Advice = Partial<Record<Reason, string>>;

/** Rows that no execution works with, for one reason. */
export interface OutOfReach {
  reason: Reason;
  /** For a person. */
  sentence: string;
}

/** @returns undefined for a row that executions of the account work with */
export function outOfReach(row: Row, account: string): Reason | undefined {
  const own = textIn(row.account);
  const state = callStateOf(row);
  if (own === undefined) return 'noAccount';
  if (own !== account) {
    const waits = state === 'scheduled' || state === 'ahead';
    return waits ? 'otherAccount' : 'otherAccountDone';
  }
  if (hasEnded(row)) return undefined;
  if (timeIn(row.finishedAt) !== undefined) return 'endedBefore';
  return state === 'unknown' ? 'noStatus' : undefined;
}

/** As {@link outOfReach}, and whether the other account places its calls, or this workflow had it before. */
async function reasonsFor(log: CallLog, rows: Row[]): Promise<Array<Reason | undefined>> {
  const reasons = rows.map((row) => outOfReach(row, log.account));
  if (!reasons.includes('otherAccount')) return reasons;
  const placing = await lastPlacing(log);
  const own = placing.get(log.account);
  return rows.map(({ account }, index) => {
    const { at = 0, workflow } = placing.get(account) ?? {};
    // A workflow that has another key now no longer works with that account.
    const isExchanged = workflow === own?.workflow && at < Date.now() - EXCHANGED_AFTER_MS;
    const reason = reasons[index];
    if (reason !== 'otherAccount') return reason;
    // A workflow that has both keys goes on with both.
    if (isExchanged) return (own?.since ?? 0) > at ? 'exchanged' : reason;
    return at > Date.now() - AT_WORK_FOR_MS ? 'otherAccountAtWork' : reason;
  });
}

/**
 * Finds rows that no execution of the account works with, although they look so; at most 250 for
 * each reason.
 *
 * @param ofOthers which rows of other accounts count: those that one of these lists of conditions describes. By
 * default: scheduled calls, and calls in progress that nobody has looked at for an hour
 * @param meant limits the rows; all by default
 * @param advice for some reasons, where the usual advice would have somebody called who is not to be
 * @returns each reason for which there are such rows
 */
export async function findOutOfReach(
  log: CallLog,
  { ofOthers, meant, advice }: { ofOthers?: Condition[][]; meant?: Meant; advice?: Advice } = {},
): Promise<OutOfReach[]> {
  const isOverdue = holds('runAt', 'lte', Date.now() - NOBODY_LOOKED_FOR_MS);
  const counting = ofOthers ?? [[says('scheduled')], [says('in_progress'), isOverdue]];
  const candidates: Condition[][] = [
    ...counting.map((all) => [holds('account', 'neq', log.account), ...all]),
    log.where(...SCHEDULED_AND_ENDED).filters,
    log.where(...IN_OTHER_WORDS).filters,
  ];
  const found = candidates.map(async (conditions) => {
    const filter = where(...conditions, ...(meant?.about ?? []));
    return await log.tables.rows(log.tableId, filter, PAGE_BY_ID);
  });
  const now = Date.now();
  // An execution of another account is about to place them.
  const isInTurn = (row: Row) => callStateOf(row) === 'ahead' && Number(row.lockedUntil) > now;
  const isMeant = meant?.isMeant ?? ((row: Row) => !isInTurn(row));
  const byId = new Map((await Promise.all(found)).flat().map((row) => [row.id, row]));
  const rows = [...byId.values()].filter(isMeant);
  const reasons = await reasonsFor(log, rows);
  return Object.entries(REASONS).flatMap(([name, [which, usual]]) => {
    const reason = name as Reason;
    const count = reasons.filter((one) => one === reason).length;
    if (count === 0) return [];
    const several = count < LARGEST_PAGE ? `${count} rows` : `${count} rows or more`;
    const subject = count === 1 ? `1 row ${which} is` : `${several} ${which} are`;
    return [{ reason, sentence: `${subject} out of reach: ${advice?.[reason] ?? usual}.` }];
  });
}
