import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { outcomeOf } from '../../callLog/callState';
import { holds, LARGEST_PAGE, type Row } from '../../dataTables/dataTables';
import { tellHint } from '../../hints';
import { isUsualOutcome, namesOutcome } from '../../service/outcomeList';
import type { AttemptSettings } from './attemptSettings';

/**
 * Warns of outcomes in retry plans with which none of the latest calls of the log has ended. Usual
 * outcomes are not checked. A misspelled outcome would call nobody again. A failure here does not
 * stop calls.
 *
 * @param log undefined when there is none yet
 */
export async function tellUnseenOutcomes(
  context: IExecuteFunctions,
  log: CallLog | undefined,
  plans: Array<AttemptSettings | undefined>,
): Promise<void> {
  const planned = new Set(plans.flatMap((stored) => stored?.retry?.outcomes ?? []));
  const unusual = [...planned].filter((key) => !isUsualOutcome(key));
  if (unusual.length === 0) return;
  const rows = await latestEnds(log).catch(() => undefined);
  const seen = rows?.map((row) => outcomeOf(row).key);
  const unseen = unusual.filter((key) => seen !== undefined && !namesOutcome(seen, key));
  if (unseen.length === 0) return;
  const names = unseen.map((key) => `"${key}"`).join(', ');
  const message = `No call of this log has ended with ${names} lately: check the spelling under After Outcomes. Outcomes are separated by commas, semicolons or lines.`;
  tellHint(context, message, 'warning');
}

async function latestEnds(log: CallLog | undefined): Promise<Row[]> {
  if (log === undefined) return [];
  const ended = log.where(holds('finishedAt', 'neq', null));
  return await log.tables.rows(log.tableId, ended, { sortBy: 'id:desc', limit: LARGEST_PAGE });
}
