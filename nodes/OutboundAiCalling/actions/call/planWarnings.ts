import type { IExecuteFunctions } from 'n8n-workflow';
import { DAY_MS, HOUR_MS } from '../../clocks';
import type { CallLog } from '../../callLog/callLog';
import { isRead } from '../../callLog/ends/cursors';
import { lastPlacing } from '../../callLog/lock';
import { outcomeOf } from '../../callLog/rowFacts';
import { holds, LARGEST_PAGE } from '../../dataTables/dataTables';
import { tellHint } from '../../hints';
import { isUsualOutcome, namesOutcome, readOutcomeList } from '../../service/outcomeList';
import { quoted } from '../../values';
import type { JudgedCall, Placement } from './askedCall';

/** Outcomes that a person has listed, and the parameter as the panel names it. */
const LISTS = {
  'After Outcomes': ({ stored }: JudgedCall) => stored?.retry?.outcomes ?? [],
  'Do-Not-Call Outcomes': ({ stored }: JudgedCall) =>
    readOutcomeList(stored?.rules.doNotCallOutcomes) ?? [],
};

/**
 * Warns of second attempts at night, and of outcomes in the settings that none of the log's latest calls has had: a
 * misspelled one would call nobody again, or keep nobody from being called. A failure here does not stop calls.
 */
export async function warnOfPlans(
  context: IExecuteFunctions,
  log: CallLog | undefined,
  calls: JudgedCall[],
): Promise<void> {
  const isAtAnyTime = ({ stored, isTestCall }: JudgedCall) =>
    stored?.retry !== undefined && !isTestCall && stored.rules.callingHours === undefined;
  if (calls.some(isAtAnyTime)) {
    tellHint(context, 'Second attempts may ring at night: add the rule "Calling Hours"', 'warning');
  }
  const listed = Object.entries(LISTS).map(([parameter, outcomesOf]) => ({
    parameter,
    unusual: [...new Set(calls.flatMap(outcomesOf))].filter((key) => !isUsualOutcome(key)),
  }));
  if (listed.every(({ unusual }) => unusual.length === 0)) return;
  const isEnd = holds('finishedAt', 'neq', null);
  const rows = await log?.newestRows(LARGEST_PAGE, isEnd).catch(() => undefined);
  if (rows === undefined) return;
  // An entry may be a part of a label with a comma.
  const seen = rows
    .map(outcomeOf)
    .flatMap(({ key, label }) => [key, ...(readOutcomeList(label) ?? [])]);
  for (const { parameter, unusual } of listed) {
    const unseen = unusual.filter((key) => !namesOutcome(seen, key));
    if (unseen.length === 0) continue;
    const names = quoted(unseen);
    const message = `No call of this log has ended with ${names} lately: check the spelling under ${parameter}. Outcomes are separated by commas, semicolons or lines.`;
    tellHint(context, message, 'warning');
  }
}

const WHO_PLACES =
  'Scheduled calls wait until a workflow that runs Place Scheduled Calls every minute is published.';

/** Some workflows place calls in some hours of the day only. */
const LATELY_MS = DAY_MS + HOUR_MS;
/** When something was last known to place calls, by the key of the log. */
const placedAt = new Map<string, number>();

/** Says what places scheduled calls, unless something has for a day. A failure here does not stop calls. */
export async function hintWhoPlaces(context: IExecuteFunctions, log: CallLog): Promise<void> {
  if ((placedAt.get(log.key) ?? 0) > Date.now() - LATELY_MS) return;
  const placing = await lastPlacing(log).catch(() => undefined);
  if (placing === undefined) return;
  const { at = 0 } = placing.get(log.account) ?? {};
  placedAt.set(log.key, at);
  if (at <= Date.now() - LATELY_MS) tellHint(context, WHO_PLACES, 'info');
}

/** Warns of Do-Not-Call Outcomes that nobody hears. A failure here does not stop calls. */
export async function warnOfUnheardOutcomes(
  context: IExecuteFunctions,
  log: CallLog,
  calls: Placement[],
): Promise<void> {
  const areAsked = calls.some(
    ({ stored, waitMs }) => waitMs === 0 && stored?.rules.doNotCallOutcomes !== undefined,
  );
  if (!areAsked || (await isRead(log).catch(() => true))) return;
  const message = `Nobody is put on the do-not-call list after these calls: nothing reads in the call log how they end. Publish a trigger that watches "${log.name}", or run Place Scheduled Calls.`;
  tellHint(context, message, 'warning');
}
