import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { tellHint } from '../../hints';
import {
  mistakesError,
  nodeError,
  NOBODY_CALLED,
  type Called,
  type FaultyItem,
  type NodeError,
} from '../../nodeError';
import { DoNotCallLists } from '../../rules/doNotCallLists';
import { CallingServiceError, mayHaveBeenProcessed } from '../../service/failure';
import { simulatedService } from '../../service/simulatedService';
import { calledByAnyTry, calledEarlier } from '../calledSentences';
import { groupBy } from '../../values';
import { tellCancelled } from '../stopping';
import { memoryOf, openExecution, readCommonSettings, type OperationExecution } from '../execution';
import { refuseOnePhoneForAll, tellFieldsOfAllItems } from '../fieldsOfAllItems';
import { ItemParameters } from '../itemParameters';
import { NodeParameters } from '../nodeParameters';
import { ExecutionMemory } from '../memory/executionMemory';
import type { Operation } from '../operation';
import { tellCampaignAgain } from '../secondPress';
import { createAndStart, EarlierCampaigns, type CreatedPart, type Result } from './createAndStart';
import { dryRunItems, existingSentence, itemOf } from './createdOutput';
import { byItself } from './campaignMessage';
import { createFields } from './createFields';
import { campaignsOfItems, refuseDifferingItems, type CampaignItems } from './campaignItems';
import { leaveOutCalled } from './earlierCalls';
import { ListedPeople } from './listedPeople';
import { CREATION } from './loadedContacts';
import { readPlan, tellInSeveralLists, tellLeftOut, type Plan } from './plan';
import { noteCampaignsForStop, refuseCampaignsAfterStop } from './stoppedCampaigns';

type Reading = FaultyItem & CampaignItems & { plan: Plan };

/** Whether a creation left a campaign that may run: it differs from what was asked, or cannot be read. */
function isOfCampaignThatMayRun(failure: unknown): boolean {
  if (!(failure instanceof CallingServiceError)) return false;
  return failure.campaignId !== undefined || failure.isAccepted;
}

const isStarted = ({ read }: CreatedPart): boolean => read.result.started === true;

/** How an error of campaigns begins. */
function calledBy(results: Result[]): Called {
  const created = results.flatMap((result) => result.created);
  const started = created.filter(isStarted).length;
  if (started > 0)
    return started === 1 ? '1 campaign was started' : `${started} campaigns were started`;
  const mayRun =
    created.some(({ mayRun, read }) => mayRun || read.result.started === null) ||
    results.some(({ failure }) => isOfCampaignThatMayRun(failure));
  return mayRun ? 'Somebody may have been called' : NOBODY_CALLED;
}

function existingSentences(results: Result[]): string {
  return results.map(existingSentence).filter(Boolean).join(' ');
}

/** The service and memory of a simulated campaign: nothing is sent or remembered. */
function simulation(): Pick<OperationExecution, 'service' | 'memory'> {
  return { service: simulatedService(), memory: new ExecutionMemory({}, 'simulation') };
}

function tellCancelledCampaigns(context: IExecuteFunctions, results: Result[]): void {
  const why = results.flatMap(({ failure }) =>
    failure instanceof Error && mayHaveBeenProcessed(failure) ? `${failure.message}.` : [],
  );
  const told = [existingSentences(results), ...why].filter(Boolean).join(' ');
  const created = results.flatMap((result) => result.created);
  const campaignIds = created.map(({ read }) => read.result.campaignId);
  tellCancelled(context, told && `${calledBy(results)}. ${told}`, { campaignIds });
}

const MAY_BE_RUNNING = 'may be running: look in the dashboard of the calling service.';

/** What a warning says of a campaign that may call people; undefined for one that calls nobody, or is to. */
function doubtAbout({ read, mayRun, startedByItself }: CreatedPart): string | undefined {
  if (startedByItself !== undefined) return `${byItself(read.result)}${startedByItself}`;
  return mayRun ? MAY_BE_RUNNING : undefined;
}

/** Gives a hint about campaigns that were not started: without it, the execution looks as if it had called them. */
function tellUnstarted(context: IExecuteFunctions, results: Result[]): void {
  const parts = results.flatMap(({ created }) => created);
  const waiting = parts.filter((part) => doubtAbout(part) === undefined);
  const why = waiting.flatMap(({ reasonToWait }) => reasonToWait ?? []);
  if (why.length === 0) return;
  const reasons = [...new Set(why)].join(' ');
  tellHint(context, `${why.length} of ${parts.length} campaigns not started: ${reasons}`, 'info');
}

/** Gives a warning about campaigns that may be running, or were started by the service when they were not to call anybody. */
function tellDoubts(context: IExecuteFunctions, results: Result[]): void {
  const parts = results.flatMap(({ created }) => created);
  for (const [doubt, { length }] of groupBy(parts, doubtAbout)) {
    if (doubt === undefined) continue;
    const were = doubt === MAY_BE_RUNNING ? '' : length === 1 ? 'was ' : 'were ';
    tellHint(context, `${length} of ${parts.length} campaigns ${were}${doubt}`, 'warning');
  }
}

export const create: Operation = {
  option: {
    name: 'Create',
    value: 'create',
    description:
      'Create a campaign from a list of real people: they are called at once if Start Immediately is on',
    action: 'Create campaign',
  },
  fields: createFields,
  async execute(context) {
    const node = context.getNode();
    const goOn = context.continueOnFail();
    const output: INodeExecutionData[] = [];
    const results: Array<Result & { itemIndex: number }> = [];

    const createAll = async (): Promise<void> => {
      const nodeParameters = new NodeParameters(context);
      const lists = new DoNotCallLists(context);
      const readings: Reading[] = [];
      const common = new ItemParameters(nodeParameters, 0);
      const settings = readCommonSettings(context, common);
      const otherRounds = memoryOf(context).notesOfOtherScopes(CREATION);
      const people = await ListedPeople.after(otherRounds);
      for (const asked of await campaignsOfItems(context, nodeParameters)) {
        const { itemIndex } = asked;
        const parameters = new ItemParameters(nodeParameters, itemIndex);
        const plan = await readPlan(context, parameters, lists);
        if (itemIndex === 0) {
          refuseOnePhoneForAll(context, nodeParameters, common);
          parameters.mistakes.push(...common.mistakes);
          await refuseDifferingItems(context, nodeParameters, parameters);
        }
        if (parameters.mistakes.length === 0) await people.add(plan, parameters);
        readings.push({ ...asked, plan, mistakes: parameters.mistakes });
      }
      const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
      const called = calledByAnyTry(context);
      if (faulty.length > 0 && !goOn) throw mistakesError(node, faulty, called);
      tellInSeveralLists(context, people.repeated);
      tellFieldsOfAllItems(context, nodeParameters);

      const execution = await openExecution(context, settings);
      if (readings.some(({ plan }) => plan.execution === 'call')) {
        refuseCampaignsAfterStop(execution);
      }
      await execution.memory.inTurn(async () => {
        const earlier = new EarlierCampaigns(execution);
        for (const reading of readings) {
          const { itemIndex, pairedItem, mistakes } = reading;
          const addError = (error: NodeError) =>
            output.push({ json: { error: error.message }, error, pairedItem });
          if (mistakes.length > 0) {
            addError(mistakesError(node, [reading], called));
            continue;
          }
          const plan = await leaveOutCalled(reading.plan, execution);
          if (plan !== reading.plan) {
            const called = plan.skipped.filter((one) => !reading.plan.skipped.includes(one));
            tellLeftOut(context, called, plan.contacts);
          }
          if (plan.execution === 'dryRun') {
            const dryRun = dryRunItems(plan, plan.askHours?.());
            output.push(
              ...dryRun.map((json) => ({ json: { ...json } as IDataObject, pairedItem })),
            );
            continue;
          }
          const isSimulated = plan.execution === 'simulate';
          const world = isSimulated ? { ...execution, ...simulation() } : execution;
          const known = isSimulated ? new EarlierCampaigns(world) : earlier;
          const result = await createAndStart(plan, known, world);
          if (!isSimulated) {
            results.push({ ...result, itemIndex });
            noteCampaignsForStop(execution, result);
          }
          const { created, failure, isEarlierFailure } = result;
          if (failure !== undefined && !goOn && !isEarlierFailure) break;
          created.forEach((part, index) => {
            // A reader would take its id for one of this account.
            if (part.isElsewhere) return;
            const item = itemOf(part, index, result.parts, plan, execution);
            const json = isSimulated ? { ...item, simulated: true } : item;
            output.push({ json, pairedItem });
          });
          if (failure === undefined || !goOn) continue;
          const done = existingSentence(result);
          addError(nodeError(node, failure, { itemIndex, called: calledBy([result]), done }));
        }
      });
      if (execution.cancelled.aborted) tellCancelledCampaigns(context, results);
      tellUnstarted(context, results);
      tellDoubts(context, results);
      const started = results.flatMap(({ created }) => created.filter(isStarted));
      tellCampaignAgain(
        context,
        started.reduce((sum, { read }) => sum + read.result.contactCount, 0),
      );
    };

    await createAll().catch((failure: unknown) => {
      const called = calledEarlier(context, calledBy(results));
      const error = nodeError(node, failure, { called });
      if (!goOn) throw error;
      // n8n would pass the items on as if they had been done.
      for (const item of context.getInputData().keys()) {
        output.push({ json: { error: error.message }, error, pairedItem: { item } });
      }
    });
    const failed =
      results.find(({ failure, isEarlierFailure }) => failure !== undefined && !isEarlierFailure) ??
      results.find(({ failure }) => failure !== undefined);
    if (failed === undefined || goOn) return output;
    throw nodeError(node, failed.failure, {
      itemIndex: failed.itemIndex,
      called: calledByAnyTry(context, calledBy(results)),
      done: existingSentences(results),
    });
  },
};
