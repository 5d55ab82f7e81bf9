import type { INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { openDesk } from '../execution';
import { ItemParameters } from '../itemParameters';
import { mistakesError, nodeError } from '../../nodeError';
import { NodeParameters } from '../nodeParameters';
import type { Operation } from '../operation';
import { carryOut, existingSentence, itemOf } from './carryOut';
import { createFields } from './createFields';
import { readPlan } from './plan';

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
    const isOneCampaign = context.getNodeParameter('contactsSource', 0) === 'inputItems';
    const jobs = isOneCampaign
      ? [{ itemIndex: 0, pairedItem: items }]
      : items.map((pairedItem) => ({ itemIndex: pairedItem.item, pairedItem }));

    const nodeParameters = new NodeParameters(context);
    const readings = [];
    for (const job of jobs) {
      const parameters = new ItemParameters(nodeParameters, job.itemIndex);
      const plan = await readPlan(context, parameters);
      readings.push({ ...job, plan, mistakes: parameters.mistakes });
    }
    const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
    if (faulty.length > 0 && !goOn) throw mistakesError(node, faulty);

    const desk = await openDesk(context);
    const output: INodeExecutionData[] = [];
    for (const reading of readings) {
      const { itemIndex, pairedItem, plan, mistakes } = reading;
      const addError = (error: NodeApiError | NodeOperationError) =>
        output.push({ json: { error: error.message }, error, pairedItem });
      if (mistakes.length > 0) {
        addError(mistakesError(node, [reading]));
        continue;
      }
      const { created, failure } = await carryOut(plan, String(itemIndex), desk);
      const error =
        failure === undefined
          ? undefined
          : nodeError(node, failure, itemIndex, existingSentence(created));
      if (error !== undefined && !goOn) throw error;
      output.push(...created.map((one) => ({ json: itemOf(one, plan, desk), pairedItem })));
      if (error !== undefined) addError(error);
    }
    return output;
  },
};
