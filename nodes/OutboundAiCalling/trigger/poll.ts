import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../clocks';
import { nodeError, NOBODY_CALLED_BY_READING } from '../nodeError';
import { readAccount, secretsOf } from '../service/account';
import { accountFingerprint } from '../service/accountFingerprint';
import { errorWithoutKeys, learnKeys, withoutKeys } from '../withoutKeys';
import { CallingService } from '../service/callingService';
import { sendWithCredential, type Send } from '../http/transport';
import { FiredEvents } from './firedEvents';
import { firedItem } from './whatFires';
import { handOver, tellUnwritten } from './handOver';
import { beginPoll, type OngoingPoll } from './overlap';
import { filterWarning } from './filterWarning';
import { OutcomeReader } from './outcomeReader';
import { PollRun, type PollReport } from './pollRun';
import { findSample } from './sample';
import { pollTime, type PollTime } from './lookTimes';
import { readSettings } from './settings';
import { keyOf, namesOf, openWatch, samplesFor } from './watch/openWatch';

/** The time that n8n usually gives a poll; older versions do not report it. */
const USUAL_BUDGET_MS = 5 * MINUTE_MS;
/** Publishing waits at most this long for its round of looks. */
const PUBLISHING_BUDGET_MS = 15_000;
const SAMPLE_BUDGET_MS = MINUTE_MS;
const REQUESTS_AT_ONCE = 10;
const LONGEST_REQUEST_MS = 30_000;
const FIRST_PAUSE_MS = 500;

/** Shortens the timeouts of requests, so that none outlasts the poll. */
function endingAt(send: Send, endAt: number): Send {
  return async (request) => {
    const timeoutMs = Math.max(1, Math.min(request.timeoutMs, endAt - Date.now()));
    return await send({ ...request, timeoutMs });
  };
}

/** Opens the service for as long as a poll takes, with the settings that it is used with. */
async function openService(context: IPollFunctions, { lookUntil, endAt }: PollTime) {
  const settings = readSettings(context);
  const signal = AbortSignal.timeout(Math.max(1, lookUntil - Date.now()));
  const credential = await context.getCredentials('outboundAiCallingApi');
  const service = new CallingService(
    readAccount(credential),
    endingAt(sendWithCredential(context, credential, secretsOf(credential)), endAt),
    {
      concurrency: REQUESTS_AT_ONCE,
      timeoutMs: LONGEST_REQUEST_MS,
      firstPauseMs: FIRST_PAUSE_MS,
      signal,
    },
  );
  return { service, settings: { ...settings, account: accountFingerprint(credential) }, signal };
}

async function sample(context: IPollFunctions): Promise<IDataObject> {
  const { service, settings } = await openService(context, pollTime(Date.now(), SAMPLE_BUDGET_MS));
  return await findSample(service, await samplesFor(context, settings), settings);
}

async function run(
  context: IPollFunctions,
  { isPublishing, isSuperseded }: OngoingPoll,
  budgetMs: number,
): Promise<PollReport> {
  const time = pollTime(Date.now(), isPublishing ? PUBLISHING_BUDGET_MS : budgetMs);
  const { service, settings, signal } = await openService(context, time);
  const { lookUntil } = time;
  const reader = new OutcomeReader(service);
  const ofPoll = { reader, lookUntil, isPublishing };
  const { watch, giveUpAfterMs } = await openWatch(context, settings, ofPoll);
  const fired = new FiredEvents(keyOf(context), settings.watch);
  const report = await new PollRun({
    calls: watch,
    ends: {
      source: watch,
      itemOf: (ended) => {
        const item = firedItem(ended, settings);
        return item && fired.hasFromElsewhere(item) ? undefined : item;
      },
      handOver: async (items, refusedLate) => {
        const refused = async () => {
          fired.forget(items);
          await refusedLate();
        };
        const isTaken = await handOver(context, items, refused);
        if (isTaken) fired.note(items);
        return isTaken;
      },
      failedLate: (failure) => tellUnwritten(context, failure),
    },
    giveUpAfterMs,
    reader,
    fastChecks: settings.fastChecks,
    lookUntil,
    signal,
    oneRound: isPublishing,
    isSuperseded,
  }).run();
  const warning = filterWarning(keyOf(context), settings.outcomeKeys, report.outcomes);
  if (warning !== undefined) context.logger.warn(withoutKeys(context, warning));
  return report;
}

/**
 * Runs one poll. It hands over ends while it runs, and returns null; in the editor, one sample.
 *
 * @throws NodeApiError or NodeOperationError when a person must correct something
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  await learnKeys(context);
  const fail = (failure: unknown): never => {
    const error = nodeError(context.getNode(), failure, { called: NOBODY_CALLED_BY_READING });
    throw errorWithoutKeys(context, error);
  };
  if (context.getMode() === 'manual') return [[{ json: await sample(context).catch(fail) }]];
  // Versions of n8n before the durable scheduler have no budgets.
  const budgetMs = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
  const ongoing = beginPoll(namesOf(context), context, budgetMs < USUAL_BUDGET_MS);
  if (ongoing === undefined) return null;
  const report = await run(context, ongoing, budgetMs)
    .catch(fail)
    .finally(() => ongoing.end());
  if (report.blocked !== undefined) return fail(report.blocked);
  if (report.foreignAnswer !== undefined && report.looks === 0) return fail(report.foreignAnswer);
  if (report.refusedHandOvers > 0) {
    context.logger.warn(
      `n8n did not start the execution for ${report.refusedHandOvers} outcomes. The next poll hands them over again.`,
    );
  }
  if (report.failed > 0) {
    const { failed, lastError = '' } = report;
    context.logger.warn(
      `${failed} requests for outcomes failed: ${lastError}. The next poll tries again.`,
    );
  }
  return null;
}
