import type { INodeProperties } from 'n8n-workflow';
import { options, requestTimeoutSeconds } from '../../fields';
import { tellHint } from '../../hints';
import { hoursFor, readHoursOfUnknownCustomers, type AskHours } from '../../rules/callingHours';
import { hoursHints } from '../../rules/hoursHints';
import { callNotice, isOfSimulation, readTrial } from '../../rules/manualExecutions';
import { notCalledHint } from '../../rules/notCalledHint';
import { RuleObjection, type Objection } from '../../rules/rule';
import { mayCallAnyway, mayStillCall, NOBODY_CALLED, type Called } from '../../nodeError';
import { startRules } from '../../rules/rules';
import {
  dryRunItem,
  objectionFields,
  type DryRun,
  type SkippedCampaign,
} from '../../rules/skipped';
import type { CampaignAction, CampaignControl } from '../../service/campaign';
import { STATE_AFTER } from '../../service/campaignState';
import { CallingServiceError, type FailureKind } from '../../service/failure';
import { simulatedService } from '../../service/simulatedService';
import { eachItem } from '../eachItem';
import { unlessStopped } from '../stopping';
import { isTool, type OperationExecution } from '../execution';
import type { RequestIdentity } from '../memory/request';
import type { Operation } from '../operation';
import { presentationFields, shown } from '../../presentation';
import { controlMessage, doneEarlier } from './campaignMessage';
import type { Simulated } from './campaignOutput';

const campaignId: INodeProperties = {
  displayName: 'Campaign ID',
  name: 'campaignId',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. 317',
  description:
    'The number of the campaign at the calling service, as campaignId in the output of Create',
};

const startNotice = callNotice(
  'Execute step makes this campaign call people now, and stopping n8n does not stop it (Campaign > Pause does). To try it without calling anybody, use "Manual Executions" under "Rules".',
);

export interface ControlOutput extends CampaignControl, Simulated {
  /** In words for people. */
  message: string;
}

export type StartOutput =
  ControlOutput | SkippedCampaign | DryRun<{ campaignId: number; action: CampaignAction }>;

const CONTROL_FIELDS: ReadonlyArray<keyof ControlOutput> = [
  'campaignId',
  'action',
  'state',
  'message',
];

type CallingAction = 'start' | 'resume';

function callsPeople(action: CampaignAction): action is CallingAction {
  return action === 'start' || action === 'resume';
}

/** The actions that each action undoes: they may be done again afterwards. */
const UNDOES: Record<CampaignAction, CallingAction[]> = {
  start: [],
  pause: ['start', 'resume'],
  resume: ['start'],
  stop: ['start', 'resume'],
};

const REFUSALS = new Set<FailureKind>(['unknown', 'wrongState', 'poolExhausted', 'balanceTooLow']);

/** Whether the service knows the campaign, and refuses to do something with it. */
export function isRefusedByService(failure: unknown): failure is CallingServiceError {
  return failure instanceof CallingServiceError && REFUSALS.has(failure.kind);
}

/** Whether a refusal says that the campaign is in a state in which it calls nobody. */
function callsNobody(failure: unknown): boolean {
  const state = isRefusedByService(failure) ? failure.campaignState : undefined;
  return state !== undefined && state !== STATE_AFTER.start;
}

/** For start and resume: a campaign that is refused may have been started before. */
function nobodyCalled(failures: unknown[]): Called {
  const refused = failures.filter((one) => isRefusedByService(one) && !callsNobody(one)).length;
  return refused === 0 ? NOBODY_CALLED : mayCallAnyway(refused);
}

/** For pause and stop: how many campaigns may still call people. Without failures, nothing was sent. */
function stillCalled(failures: unknown[], campaigns: number): Called {
  const open = failures.filter((failure) => !callsNobody(failure)).length;
  if (failures.length === 0) return mayStillCall(campaigns, campaigns);
  if (open > 0) return mayStillCall(open, campaigns);
  return campaigns === 1 ? 'The campaign calls nobody' : 'The campaigns call nobody';
}

/** Two starts, or two resumes, of one campaign are the same request, also of two items. */
export function controlIdentity(
  account: string | undefined,
  id: number,
  action: CallingAction,
): RequestIdentity {
  const subject = ['control', account, id, action];
  return { subject, content: '', effect: 'dialling', isSingle: true };
}

/**
 * Sends one control action. Start and resume are not sent when an item has failed by the time their
 * turn comes. Pause and stop are sent whatever became of the others.
 *
 * @throws RuleObjection when a start or resume is outside the calling hours by then
 */
export async function control(
  execution: Pick<OperationExecution, 'service' | 'stop'>,
  id: number,
  action: CampaignAction,
  askHours?: AskHours,
) {
  const beforeEachTry = async () => {
    if (!callsPeople(action)) return;
    await unlessStopped(execution);
    const objection = askHours?.();
    if (objection !== undefined) throw new RuleObjection(objection);
  };
  return await execution.service.controlCampaign(id, action, beforeEachTry);
}

/**
 * Makes the operation that sends one control action to each campaign. A retry of the execution does
 * not repeat a start or resume that was sent, or may have been. It repeats a pause or stop.
 */
export function controlOperation(
  action: CampaignAction,
  option: Operation['option'],
  ...notices: INodeProperties[]
): Operation {
  const calls = callsPeople(action);
  return {
    option,
    fields: [
      ...notices,
      ...(calls ? [startNotice] : []),
      campaignId,
      ...presentationFields(CONTROL_FIELDS),
      ...(calls ? [startRules] : []),
      options(requestTimeoutSeconds),
    ],
    execute: eachItem({
      calls,
      nobodyCalled: calls ? nobodyCalled : stillCalled,
      read(parameters) {
        const id = parameters.identifier('campaignId', 'Campaign ID');
        const chosen = calls ? readTrial(parameters) : 'call';
        const execution = chosen === 'call' && isOfSimulation(id, parameters) ? 'simulate' : chosen;
        const hours = calls ? readHoursOfUnknownCustomers(parameters) : undefined;
        const askHours = hours && hoursFor(hours, [], parameters);
        const hints = hours === undefined ? [] : hoursHints(hours, []);
        return { id, execution, askHours, hints, objection: undefined as Objection | undefined };
      },
      afterwards(context, requests) {
        const counts = { calls: requests.length, timezone: context.getTimezone() };
        const skipped = requests.flatMap(({ objection }) => objection ?? []);
        const message = notCalledHint(skipped, counts);
        if (message !== undefined) tellHint(context, message, 'info');
        const hints = new Set(requests.flatMap((request) => request.hints));
        for (const hint of hints) tellHint(context, hint, 'warning');
      },
      identity: calls ? ({ id }, { account }) => controlIdentity(account, id, action) : undefined,
      async perform(request, item) {
        const { id, execution, askHours } = request;
        if (execution === 'dryRun') {
          return dryRunItem(true, askHours?.(), { campaignId: id, action });
        }
        const isSimulated = execution === 'simulate';
        const service = isSimulated ? simulatedService() : item.service;
        const send = async () => await control({ ...item, service }, id, action, askHours);
        const { memory, account, remembered } = item;
        const forget = (what: CallingAction) =>
          memory.allowAgain(controlIdentity(account, id, what).subject);
        if (!isSimulated) UNDOES[action].forEach(forget);
        const isOnce = calls && !isSimulated;
        const read = await (isOnce ? remembered.once(send) : send()).catch((failure: unknown) => {
          if (failure instanceof RuleObjection) return failure;
          throw failure;
        });
        if (read instanceof RuleObjection) {
          request.objection = read.objection;
          return { skipped: true, ...objectionFields(read.objection), campaignId: id, action };
        }
        if (isOnce) item.noteStarted(id);
        // An agent that resumes again means it; a campaign starts once.
        if (isTool(item.context) && action === 'resume') forget(action);
        const isOld = isOnce && remembered.isEarlier;
        const state = isOld ? 'unknown' : read.result.state;
        const message = isOld ? doneEarlier(action) : controlMessage(action, read.result);
        const result: ControlOutput = { ...read.result, state, message };
        const always = state === STATE_AFTER[action] ? {} : { state, message };
        const answer = shown(item.presentation, { ...read, result }, result, always);
        const json = isOld ? { ...answer, ...always } : answer;
        return isSimulated ? { ...json, simulated: true } : json;
      },
    }),
  };
}
