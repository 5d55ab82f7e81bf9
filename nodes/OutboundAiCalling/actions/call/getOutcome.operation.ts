import type { INodeProperties } from 'n8n-workflow';
import { isOfSimulation, USUAL_OUTCOME } from '../../rules/manualExecutions';
import { CallingServiceError } from '../../service/failure';
import { simulatedOutcome } from '../../service/simulatedOutcome';
import { eachItem } from '../eachItem';
import { throwIfStopped } from '../stopping';
import {
  concurrency,
  maxWaitMinutes,
  options,
  requestTimeoutSeconds,
  transcript,
} from '../../fields';
import { NOBODY_CALLED_BY_READING } from '../../nodeError';
import type { Operation } from '../operation';
import { presentationFields } from '../../presentation';
import { OUTCOME_FIELDS, outcomeItem } from '../../outcomeItem';
import { readMaxWait, waitForOutcome } from './waiting';

const fields: INodeProperties[] = [
  {
    displayName: 'Call ID at the Service',
    name: 'orderId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. 4821',
    description:
      'The number of the call at the calling service, as orderId in the output of Call Customer. It is not the order number of your shop.',
  },
  {
    displayName: 'If Call Is in Progress',
    name: 'inProgress',
    type: 'options',
    default: 'returnStatus',
    options: [
      { name: 'Fail', value: 'fail', description: 'Stop the workflow with an error' },
      {
        name: 'Return Status',
        value: 'returnStatus',
        description: 'Return the item with the status in_progress',
      },
      { name: 'Wait', value: 'wait', description: 'Wait until the call has ended' },
    ],
    description: 'What to do when the call has not ended yet',
  },
  ...presentationFields(OUTCOME_FIELDS),
  options(
    { ...concurrency, description: 'How many requests may be under way at the same time' },
    {
      ...maxWaitMinutes,
      description: `Only with "If Call Is in Progress" set to Wait. ${maxWaitMinutes.description}`,
    },
    requestTimeoutSeconds,
    transcript,
  ),
];

const WAYS = ['fail', 'returnStatus', 'wait'] as const;

export const getOutcome: Operation = {
  option: {
    name: 'Get Outcome',
    value: 'getOutcome',
    description:
      'Read how a phone call ended: outcome, summary and transcript. Calls nobody, and may be repeated.',
    action: 'Get outcome of call',
  },
  fields,
  execute: eachItem({
    nobodyCalled: () => NOBODY_CALLED_BY_READING,
    read(parameters) {
      const orderId = parameters.identifier('orderId', 'Call ID at the Service');
      return {
        orderId,
        isSimulated: isOfSimulation(orderId, parameters),
        inProgress: parameters.choice('inProgress', 'If Call Is in Progress', WAYS, 'returnStatus'),
        maxWaitMs: readMaxWait(parameters),
      };
    },
    async perform(request, { service, cancelled, stop, presentation }) {
      const { orderId, isSimulated, inProgress, maxWaitMs } = request;
      throwIfStopped({ stop });
      if (isSimulated) {
        const simulated = simulatedOutcome(USUAL_OUTCOME, { orderId });
        return { ...outcomeItem(simulated, orderId, presentation), simulated: true };
      }
      const { reading, failure, isKnown } = await waitForOutcome(service, orderId, {
        firstPauseMs: 0,
        isKnown: false,
        maxWaitMs: inProgress === 'wait' ? maxWaitMs : 0,
        signal: AbortSignal.any([cancelled, stop.signal]),
      });
      if (failure !== undefined && (!isKnown || failure.kind === 'keyRefused')) throw failure;
      if (!reading.finished && inProgress === 'fail') {
        throw new CallingServiceError('stillInProgress', `Call ${orderId} is still in progress`, {
          advice: 'Read the outcome later, or set "If Call Is in Progress" to "Wait".',
          mayHaveBeenProcessed: false,
        });
      }
      const error = failure && { outcomeError: failure.message };
      return { ...outcomeItem(reading, orderId, presentation), ...error };
    },
  }),
};
