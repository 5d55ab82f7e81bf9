import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { outcomeOf } from '../../callLog/callState';
import { holds, LARGEST_PAGE } from '../../dataTables/dataTables';
import { tellHint } from '../../hints';
import { isUsualOutcome, namesOutcome } from '../../service/outcomeList';
import type { JudgedCall } from './askedCall';

/**
 * Warns of retry plans that may not do what is meant: they call at night, or after no outcome.
 *
 * @param log undefined when there is none yet
 */
export async function warnOfPlans(
  context: IExecuteFunctions,
  log: CallLog | undefined,
  calls: JudgedCall[],
): Promise<void> {
  const planned = calls.filter(({ stored }) => stored?.retry !== undefined);
  const isAtAnyTime = ({ stored, isTestCall }: JudgedCall) =>
    !isTestCall && stored?.rules.callingHours === undefined;
  if (planned.some(isAtAnyTime)) {
    tellHint(context, 'Second attempts may ring at night: add the rule "Calling Hours"', 'warning');
  }
  await tellUnseenOutcomes(context, log, planned);
}

/**
 * Warns of unusual outcomes with which none of the log's latest calls has ended: a misspelled one
 * would call nobody again. A failure here does not stop calls.
 */
async function tellUnseenOutcomes(
  context: IExecuteFunctions,
  log: CallLog | undefined,
  calls: JudgedCall[],
): Promise<void> {
  const planned = new Set(calls.flatMap(({ stored }) => stored?.retry?.outcomes ?? []));
  const unusual = [...planned].filter((key) => !isUsualOutcome(key));
  if (unusual.length === 0) return;
  const ended = [holds('finishedAt', 'neq', null)];
  const latest = { sortBy: 'id:desc', limit: LARGEST_PAGE };
  const rows = log === undefined ? [] : await log.rows(ended, latest).catch(() => undefined);
  const seen = rows?.map((row) => outcomeOf(row).key);
  const unseen = unusual.filter((key) => seen !== undefined && !namesOutcome(seen, key));
  if (unseen.length === 0) return;
  const names = unseen.map((key) => `"${key}"`).join(', ');
  const message = `No call of this log has ended with ${names} lately: check the spelling under After Outcomes. Outcomes are separated by commas, semicolons or lines.`;
  tellHint(context, message, 'warning');
}
