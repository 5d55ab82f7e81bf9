import type { INodeProperties } from 'n8n-workflow';
import { options, requestTimeoutSeconds } from '../../fields';
import { hoursFor, readHoursOfUnknownCustomers, type AskHours } from '../../rules/callingHours';
import { dryRunItem, type DryRun } from '../../rules/dryRun';
import { callNotices, readIsDryRun } from '../../rules/manualExecutions';
import { RuleObjection } from '../../rules/rule';
import { mayStillCall } from '../../nodeError';
import { startRules } from '../../rules/rules';
import { skippedCampaign, type SkippedCampaign } from '../../rules/skipped';
import type { CampaignAction, CampaignControl } from '../../service/campaign';
import { eachItem, unlessStopped } from '../eachItem';
import { isTool, type OperationExecution } from '../execution';
import type { RequestIdentity } from '../executionMemory';
import type { ItemParameters } from '../itemParameters';
import type { Operation } from '../operation';
import { presentationFields, shown } from '../presentation';
import { controlMessage } from './campaignMessage';

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

const startNotices = callNotices(
  'Execute step has the people of this campaign called now, and stopping n8n does not stop it (Campaign > Pause does). To try it without calling anybody, use "Manual Executions" under "Rules".',
);

/** What becomes of a campaign that is paused or stopped. */
export interface ControlOutput extends CampaignControl {
  /** To be read by people. */
  message: string;
}

/** What becomes of a campaign that is started or resumed. */
export type StartOutput =
  ControlOutput | SkippedCampaign | DryRun<{ campaignId: number; action: CampaignAction }>;

const CONTROL_FIELDS: ReadonlyArray<keyof ControlOutput> = [
  'campaignId',
  'action',
  'state',
  'message',
];

/** Whether people are called after an action. */
function callsPeople(action: CampaignAction): boolean {
  return action === 'start' || action === 'resume';
}

/** A control request is the same when it does the same to the same campaign. */
export function controlIdentity(id: number, action: CampaignAction): RequestIdentity {
  const effect = callsPeople(action) ? { effect: 'dialling' as const } : {};
  return { subject: ['control', id, action], content: '', ...effect };
}

/**
 * Sends one control action, unless an item has failed by the time its turn comes.
 *
 * @throws RuleObjection when it is outside the calling hours by then
 */
export async function control(
  execution: Pick<OperationExecution, 'service' | 'stop'>,
  id: number,
  action: CampaignAction,
  askHours?: AskHours,
) {
  const beforeEachTry = async () => {
    await unlessStopped(execution);
    const objection = askHours?.();
    if (objection !== undefined) throw new RuleObjection(objection);
  };
  return await execution.service.controlCampaign(id, action, { beforeEachTry });
}

/** A control action for one campaign. */
interface ControlRequest {
  id: number;
  /** Nothing is sent. */
  isDryRun: boolean;
  askHours: AskHours | undefined;
}

/** Reads when the people of a campaign may be called, who are not known. */
function readHoursOfCampaign(parameters: ItemParameters): AskHours | undefined {
  const setting = readHoursOfUnknownCustomers(parameters);
  return setting === undefined ? undefined : hoursFor(setting, [], parameters);
}

/**
 * The operation that sends one control action to each campaign; `notice` stands above its fields. What
 * was done, or may have been, is not done again by a retry of the execution.
 */
export function controlOperation(
  action: CampaignAction,
  option: Operation['option'],
  notice: INodeProperties[] = [],
): Operation {
  const calls = callsPeople(action);
  return {
    option,
    fields: [
      ...notice,
      ...(calls ? startNotices : []),
      campaignId,
      ...presentationFields(CONTROL_FIELDS),
      ...(calls ? [startRules] : []),
      options(requestTimeoutSeconds),
    ],
    execute: eachItem<ControlRequest>({
      called: calls ? 'calls' : mayStillCall,
      read: (parameters) => ({
        id: parameters.identifier('campaignId', 'Campaign ID'),
        isDryRun: calls && readIsDryRun(parameters),
        askHours: calls ? readHoursOfCampaign(parameters) : undefined,
      }),
      identity: ({ id }) => controlIdentity(id, action),
      async perform({ id, isDryRun, askHours }, item) {
        if (isDryRun) return dryRunItem(true, askHours?.(), { campaignId: id, action });
        const send = async () => await control(item, id, action, askHours);
        const read = await item.remembered.once(send).catch((failure: unknown) => {
          if (failure instanceof RuleObjection) return failure;
          throw failure;
        });
        if (read instanceof RuleObjection) {
          return skippedCampaign(read.objection, { campaignId: id, action });
        }
        if (calls) item.noteStarted(id);
        // An agent that pauses, resumes and pauses again means it; a campaign starts once.
        if (isTool(item.context) && action !== 'start') item.remembered.forget();
        const message = controlMessage(action, read.result);
        const result: ControlOutput = { ...read.result, message };
        return shown(item.presentation, { ...read, result });
      },
    }),
  };
}
