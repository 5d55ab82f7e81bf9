import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
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
import { adviceToGoOn, calledByAnyTry, calledEarlier } from '../calledSentences';
import { groupBy } from '../../collections';
import { tellCancelled } from '../stopping';
import { memoryOf, openExecution, readCommonSettings, type OperationExecution } from '../execution';
import { errorItem } from '../errorItem';
import { tellItemsLeftOut } from '../executeOnce';
import { refuseOnePhoneForAll, tellFieldsOfAllItems } from '../fieldsOfAllItems';
import { ItemParameters } from '../itemParameters';
import { NodeParameters } from '../nodeParameters';
import { ExecutionMemory } from '../memory/executionMemory';
import type { Operation } from '../operation';
import { tellCampaignAgain } from '../secondPress';
import { refuseIfLost } from '../memory/memoryLost';
import { createAndStart, EarlierCampaigns, type CreatedPart, type Result } from './createAndStart';
import { dryRunItems, existingSentence, itemOf } from './createdOutput';
import { byItself } from './campaignMessage';
import { createFields } from './createFields';
import { campaignsOfItems, refuseDifferingItems, type CampaignItems } from './campaignItems';
import { omitCalled } from './earlierCalls';
import { ListedPeople } from './listedPeople';
import { CREATION } from './loadedContacts';
import { readPlan, tellLeftOut, tellRepeated, type Plan } from './plan';
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

function tellCancelledCampaigns(context: IExecuteFunctions, results: Result[]): void {
  const why = results.flatMap(({ failure }) =>
    failure instanceof Error && mayHaveBeenProcessed(failure) ? `${failure.message}.` : [],
  );
  const sentences = [existingSentences(results), ...why].filter(Boolean).join(' ');
  const created = results.flatMap((result) => result.created);
  const campaignIds = created.map(({ read }) => read.result.campaignId);
  tellCancelled(context, sentences && `${calledBy(results)}. ${sentences}`, { campaignIds });
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

class Creation {
  private readonly output: INodeExecutionData[] = [];
  private readonly results: Array<Result & { itemIndex: number }> = [];
  private readonly parameters: NodeParameters;
  private readonly goesOn: boolean;

  constructor(private readonly context: IExecuteFunctions) {
    this.parameters = new NodeParameters(context);
    this.goesOn = context.continueOnFail();
  }

  async run(): Promise<INodeExecutionData[]> {
    const { context, results, output } = this;
    await this.createAll().catch((failure: unknown) => this.failAll(failure));
    const failed = results.filter(({ failure }) => failure !== undefined);
    const isNew = ({ isEarlierFailure }: Result) => !isEarlierFailure;
    const first = failed.find(isNew) ?? failed[0];
    if (first === undefined || this.goesOn) return output;
    const failures = failed.map(({ failure }) => failure);
    throw nodeError(context.getNode(), first.failure, {
      itemIndex: first.itemIndex,
      called: calledByAnyTry(context, calledBy(results)),
      done: existingSentences(results),
      advice: failed.some(isNew) ? undefined : adviceToGoOn(context, failures),
    });
  }

  private async createAll(): Promise<void> {
    const { context, results } = this;
    const common = new ItemParameters(this.parameters, 0);
    const settings = readCommonSettings(context, common);
    const others = memoryOf(context).inOtherScopes(CREATION);
    const people = await ListedPeople.after(others.map(({ note }) => note));
    const readings = await this.readAll(common, people);
    const called = calledByAnyTry(context);
    const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
    if (faulty.length > 0 && !this.goesOn) throw mistakesError(context.getNode(), faulty, called);
    const inSeveral = 'in several lists, for different orders';
    tellRepeated(context, people.repeated, inSeveral, 'Each campaign');
    tellFieldsOfAllItems(this.parameters);
    tellItemsLeftOut(this.parameters);

    const execution = await openExecution(context, settings);
    if (readings.some(({ plan }) => plan.execution === 'call')) {
      refuseCampaignsAfterStop(execution);
      refuseIfLost(execution, 'campaigns');
    }
    await execution.memory.inTurn(async () => {
      const earlier = new EarlierCampaigns(execution);
      for (const reading of readings) {
        if (reading.mistakes.length > 0) {
          const error = mistakesError(context.getNode(), [reading], called);
          this.addErrors(error, reading.pairedItem);
        } else if (!(await this.create(reading, earlier, execution))) break;
      }
    });
    if (execution.cancelled.aborted) tellCancelledCampaigns(context, results);
    tellUnstarted(context, results);
    tellDoubts(context, results);
    const started = results.flatMap(({ created }) => created.filter(isStarted));
    const contacts = started.reduce((sum, { read }) => sum + read.result.contactCount, 0);
    tellCampaignAgain(context, contacts);
  }

  /** @param common has the mistakes in the settings of all items */
  private async readAll(common: ItemParameters, people: ListedPeople): Promise<Reading[]> {
    const lists = new DoNotCallLists(this.context);
    const readings: Reading[] = [];
    for (const asked of await campaignsOfItems(this.parameters)) {
      const parameters = new ItemParameters(this.parameters, asked.itemIndex);
      const plan = await readPlan(parameters, lists);
      if (asked.itemIndex === 0) {
        refuseOnePhoneForAll(this.parameters, common);
        parameters.mistakes.push(...common.mistakes);
        await refuseDifferingItems(this.parameters, parameters);
      }
      if (parameters.mistakes.length === 0) await people.add(plan, parameters);
      readings.push({ ...asked, plan, mistakes: parameters.mistakes });
    }
    return readings;
  }

  /** Creates the campaigns of one list, and adds their items. Returns whether the next list may follow. */
  private async create(
    { plan: asked, itemIndex, pairedItem }: Reading,
    earlier: EarlierCampaigns,
    execution: OperationExecution,
  ): Promise<boolean> {
    const { context, goesOn } = this;
    const plan = await omitCalled(asked, execution);
    const called = plan.skipped.filter((one) => !asked.skipped.includes(one));
    tellLeftOut(context, called, called.length + plan.contacts.length);
    if (plan.execution === 'dryRun') {
      for (const json of dryRunItems(plan, plan.askHours?.())) {
        this.output.push({ json: { ...json }, pairedItem });
      }
      return true;
    }
    const isSimulated = plan.execution === 'simulate';
    // Of a simulated campaign, nothing is sent or remembered.
    const world = isSimulated
      ? { ...execution, service: simulatedService(), memory: new ExecutionMemory({}, 'simulation') }
      : execution;
    const before = isSimulated ? new EarlierCampaigns(world) : earlier;
    const result = await createAndStart(plan, before, world);
    if (!isSimulated) {
      this.results.push({ ...result, itemIndex });
      noteCampaignsForStop(execution, result);
    }
    const { created, parts, failure, isEarlierFailure } = result;
    if (failure !== undefined && !goesOn && !isEarlierFailure) return false;
    for (const [index, part] of created.entries()) {
      // A reader would take its id for one of this account.
      if (part.isElsewhere) continue;
      const item = itemOf(part, index, parts, plan, execution);
      this.output.push({ json: isSimulated ? { ...item, simulated: true } : item, pairedItem });
    }
    if (failure !== undefined && goesOn) {
      const details = { itemIndex, called: calledBy([result]), done: existingSentence(result) };
      const error = nodeError(context.getNode(), failure, details);
      // Of a list that was loaded in part, nobody can tell which items have failed.
      if (created.length > 0)
        this.output.push({ json: { error: error.message }, error, pairedItem: [] });
      else this.addErrors(error, pairedItem);
    }
    return true;
  }

  /** Gives each of these input items the error: n8n would pass them on as if they had been done. */
  private addErrors(error: NodeError, items: CampaignItems['pairedItem']): void {
    for (const pairedItem of [items].flat()) {
      this.output.push(errorItem(this.context, error, pairedItem));
    }
  }

  private failAll(failure: unknown): void {
    const { context } = this;
    const called = calledEarlier(context, calledBy(this.results));
    const error = nodeError(context.getNode(), failure, { called });
    if (!this.goesOn) throw error;
    const items = [...context.getInputData().keys()].map((item) => ({ item }));
    this.addErrors(error, items);
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
  execute: async (context) => await new Creation(context).run(),
};
