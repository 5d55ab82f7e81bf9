import type { INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { mistakesError, nodeError, type Called } from '../../nodeError';
import { mayHaveHappened } from '../../service/failure';
import { commonSettings, openExecution, readCommonSettings } from '../execution';
import { ItemParameters } from '../itemParameters';
import { NodeParameters } from '../nodeParameters';
import type { Operation } from '../operation';
import { carryOut, EarlierCampaigns, existingSentence, itemOf, type Result } from './carryOut';
import { createFields } from './createFields';
import { readPlan } from './plan';

const NOBODY: Called = 'Nobody was called';

/** How the error of a campaign begins. */
function calledBy({ created, failure }: Result): Called {
  const started = created.filter(({ read }) => read.result.started).length;
  if (started > 0)
    return started === 1 ? '1 campaign was started' : `${started} campaigns were started`;
  const mayRun = created.some((part) => part.mayRun);
  return mayRun && mayHaveHappened(failure) ? 'Somebody may have been called' : NOBODY;
}

export const create: Operation = {
  option: {
    name: 'Create',
    value: 'create',
    description: 'Load a list of people to be called',
    action: 'Create a campaign',
  },
  fields: createFields,
  async execute(context) {
    const node = context.getNode();
    const goOn = context.continueOnFail();
    const items = context.getInputData().map((_, item) => ({ item }));
    const output: INodeExecutionData[] = [];

    const createAll = async (): Promise<void> => {
      const isOneCampaign = context.getNodeParameter('contactsSource', 0) === 'inputItems';
      const jobs = isOneCampaign
        ? [{ itemIndex: 0, pairedItem: items }]
        : items.map((pairedItem) => ({ itemIndex: pairedItem.item, pairedItem }));

      const nodeParameters = new NodeParameters(context);
      const readings = [];
      for (const job of jobs) {
        const parameters = new ItemParameters(nodeParameters, job.itemIndex);
        const plan = await readPlan(context, parameters);
        if (job.itemIndex === 0) readCommonSettings(parameters);
        readings.push({ ...job, plan, mistakes: parameters.mistakes });
      }
      const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
      if (faulty.length > 0 && !goOn) throw mistakesError(node, faulty, NOBODY);

      const execution = await openExecution(context, commonSettings(context));
      const earlier = new EarlierCampaigns(execution);
      for (const reading of readings) {
        const { itemIndex, pairedItem, plan, mistakes } = reading;
        const addError = (error: NodeApiError | NodeOperationError) =>
          output.push({ json: { error: error.message }, error, pairedItem });
        if (mistakes.length > 0) {
          addError(mistakesError(node, [reading], NOBODY));
          continue;
        }
        const result = await carryOut(plan, itemIndex, earlier, execution);
        const { created, failure } = result;
        const error =
          failure === undefined
            ? undefined
            : nodeError(node, failure, {
                itemIndex,
                called: calledBy(result),
                done: existingSentence(result),
              });
        if (error !== undefined && !goOn) throw error;
        created.forEach((part, index) => {
          const json = itemOf(part, index, created.length, plan, execution);
          output.push({ json, pairedItem });
        });
        if (error !== undefined) addError(error);
      }
    };

    await createAll().catch((failure: unknown) => {
      const error = nodeError(node, failure, output.length === 0 ? { called: NOBODY } : {});
      if (!goOn) throw error;
      // n8n would pass the items on as if they had been done.
      for (const pairedItem of items) {
        output.push({ json: { error: error.message }, error, pairedItem });
      }
    });
    return output;
  },
};
