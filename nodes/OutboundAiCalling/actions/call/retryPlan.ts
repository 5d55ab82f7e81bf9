import type { INodeProperties } from 'n8n-workflow';
import { MOST_ATTEMPTS } from '../../callLog/placing/loggedRequest';
import type { RetryPlan } from '../../placedCalls';
import { namesOutcome, readOutcomeList } from '../../service/outcomeList';
import { isRecord } from '../../http/json';
import { readList, readNumber } from '../../values';
import type { ItemParameters } from '../itemParameters';

const PATH = 'options.retry.plan';
const NAME = 'Second Attempts';
const MINUTES = { min: 0, max: 60 * 24 * 60 };

export const retry: INodeProperties = {
  displayName: NAME,
  name: 'retry',
  type: 'fixedCollection',
  default: { plan: { outcomes: 'no_answer, voicemail, busy', afterMinutes: '30, 120, 1440' } },
  placeholder: 'Set second attempts',
  description:
    'When to call somebody again who was not reached. A workflow with the operation Place Scheduled Calls, run by a Schedule Trigger, places these calls.',
  options: [
    {
      displayName: 'Plan',
      name: 'plan',
      values: [
        {
          displayName: 'After Outcomes',
          name: 'outcomes',
          type: 'string',
          // n8n gives these in place of a plan in a form that it does not know, such as a list: they have to be refused.
          default: '',
          placeholder: 'e.g. no_answer, voicemail, busy',
          description:
            'The outcomes after which to call again: labels of your script, in its language, or keys, in any spelling, separated by commas, semicolons or lines. A call without an outcome counts by its status, e.g. failed.',
        },
        {
          displayName: 'After Minutes',
          name: 'afterMinutes',
          type: 'string',
          default: '',
          placeholder: 'e.g. 30, 120, 1440',
          description:
            'The minutes between the end of an attempt and the next one, separated by commas, each larger than the one before. 30, 120, 1440 gives up to four attempts, the last one a day after the third.',
        },
      ],
    },
  ],
};

/** Where these separate the numbers, a comma is within a number. */
const BETWEEN_NUMBERS = /[;؛；、\n]/;
/** A comma between thousands, or between two numbers: a call after 1 minute may not be meant. */
const ONE_OR_TWO = /(?<![\d.])\d{1,3}[,،，]\d{3}(?!\d)/;
const THOUSANDS = /(?<=(?<![\d.])\d{1,3})[,،，](?=\d{3}(?!\d))/g;

type Delays = { minutes: number[] } | { message: string; advice: string };

function delaysIn(given: unknown): Delays {
  const parts = typeof given === 'string' ? given.trim().split(BETWEEN_NUMBERS) : [];
  const texts = readList(parts.length > 1 ? parts : given);
  if (texts === undefined || texts.length === 0) {
    const advice = 'Enter the minutes after each attempt, e.g. 30, 120, 1440.';
    return { message: texts === undefined ? 'are no numbers' : 'is empty', advice };
  }
  const minutes: number[] = [];
  for (const text of texts) {
    const delay = readNumber(text, MINUTES);
    if (delay === undefined || delay <= 0) {
      const advice = 'Enter numbers above 0, separated by commas, 60 days at most.';
      return { message: `has "${text}", which is no number of minutes`, advice };
    }
    const before = minutes.at(-1);
    if (before !== undefined && delay <= before) {
      const message = `do not grow: ${delay} comes after ${before}`;
      return { message, advice: 'Each number must be larger.' };
    }
    minutes.push(delay);
  }
  if (minutes.length >= MOST_ATTEMPTS) {
    const message = `would make ${minutes.length + 1} attempts`;
    return { message, advice: 'At most ten are made: enter nine numbers.' };
  }
  return { minutes };
}

/** @returns undefined for a mistake, which it notes in `parameters` */
function readDelays(parameters: ItemParameters, given: unknown): number[] | undefined {
  const text = typeof given === 'string' ? given : '';
  const [unclear] = ONE_OR_TWO.exec(text) ?? [];
  // `30,120,1440` are three: 30120 minutes would not come before 1440.
  if (unclear !== undefined && 'minutes' in delaysIn(text.replace(THOUSANDS, ''))) {
    const message = `have "${unclear}", which may be one number or two`;
    const advice = 'Write 1440 for a day, or a space after the comma between two numbers.';
    parameters.refuse('After Minutes', message, advice);
    return undefined;
  }
  const delays = delaysIn(given);
  if ('minutes' in delays) return delays.minutes;
  parameters.refuse('After Minutes', delays.message, delays.advice);
  return undefined;
}

/** Reads "Second Attempts"; undefined when a call is tried once only, or the plan is a mistake. */
export function readRetryPlan(parameters: ItemParameters): RetryPlan | undefined {
  if (!parameters.has('options.retry')) return undefined;
  const plan = parameters.value(PATH);
  if (!isRecord(plan)) {
    parameters.refuse(NAME, 'have no plan', 'Fill in the plan, or remove the option.');
    return undefined;
  }
  const { outcomes, afterMinutes } = plan;
  const keys = parameters.outcomes(`${PATH}.outcomes`, 'After Outcomes', outcomes) ?? [];
  if (keys.length === 0) {
    const advice = 'Enter the outcomes after which to call again, e.g. no_answer, busy.';
    parameters.refuse('After Outcomes', 'is empty', advice);
  }
  const silent = readOutcomeList(parameters.value('rules.doNotCallOutcomes')) ?? [];
  const both = keys.find((key) => namesOutcome(silent, key));
  if (both !== undefined) {
    const message = `name "${both}", as Do-Not-Call Outcomes do: nobody would be called again`;
    parameters.refuse('After Outcomes', message, 'Remove it from one of them.');
  }
  const minutes = readDelays(parameters, afterMinutes);
  return minutes === undefined ? undefined : { outcomes: keys, afterMinutes: minutes };
}

/** As {@link readRetryPlan}, where the call log is optional: a plan needs the log. */
export function readRetryPlanWithLog(parameters: ItemParameters): RetryPlan | undefined {
  const plan = readRetryPlan(parameters);
  if (parameters.has('options.retry') && parameters.value('callLog') !== 'dataTable') {
    const advice = 'The next attempts are written into the log.';
    parameters.refuse(NAME, 'need a call log: choose Data Table under Call Log', advice);
  }
  return plan;
}
