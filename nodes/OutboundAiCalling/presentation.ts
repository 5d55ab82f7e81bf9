import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { simplify, TRANSCRIPT_FORMS, type TranscriptForm } from './fields';
import type { Read } from './service/callingService';
import { readList } from './values';
import type { SettingsReader } from './settingsReader';

export type Presentation =
  | { form: 'simplified'; transcript?: TranscriptForm }
  | { form: 'raw' }
  | { form: 'selectedFields'; fields: readonly string[] };

const FORMS = ['simplified', 'raw', 'selectedFields'] as const;

/**
 * The fields that choose the presentation: as a rule a switch. An AI agent pays for every word that
 * it reads, so it can also select single fields.
 *
 * @param names of the fields that can be selected, the usual ones first
 */
export function presentationFields(names: readonly string[]): INodeProperties[] {
  return [
    // The condition must hide the switch, not show it: versions of n8n that do not know the
    // condition show the switch.
    { ...simplify, displayOptions: { hide: { '@tool': [true] } } },
    {
      displayName: 'Output',
      name: 'output',
      type: 'options',
      noDataExpression: true,
      default: 'simplified',
      displayOptions: { show: { '@tool': [true] } },
      options: [
        {
          name: 'Simplified',
          value: 'simplified',
          description: 'The fields that matter, under names that never change',
        },
        { name: 'Raw', value: 'raw', description: 'The answer of the calling service as it came' },
        {
          name: 'Selected Fields',
          value: 'selectedFields',
          description: 'Only the fields that you choose: the agent reads less',
        },
      ],
      description: 'Which part of the answer the agent gets',
    },
    {
      displayName: 'Fields',
      name: 'fields',
      type: 'multiOptions',
      noDataExpression: true,
      default: [],
      displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
      options: names.map((name) => ({ name, value: name })),
      description:
        'The fields that the agent gets. The agent always hears who was not called, and why. When an answer has none of these fields, the agent gets all.',
    },
  ];
}

/** Reads how items are shown; mistakes are noted in `parameters`. */
export function readPresentation(parameters: SettingsReader, isTool: boolean): Presentation {
  const path = 'options.transcript';
  const transcript = parameters.choice(path, 'Transcript', TRANSCRIPT_FORMS, 'turns');
  const simplified = { form: 'simplified', transcript } as const;
  if (!isTool) {
    return parameters.switch('simplify', 'Simplify', true) ? simplified : { form: 'raw' };
  }
  const form = parameters.choice('output', 'Output', FORMS, 'simplified');
  if (form === 'simplified') return simplified;
  if (form === 'raw') return { form };
  const fields = readList(parameters.value('fields')) ?? [];
  if (fields.length === 0) {
    parameters.refuse('Fields', 'are missing', 'Select the fields that the agent gets.');
  }
  return { form, fields };
}

/**
 * The part of an answer that an item shows.
 *
 * @param selectable the fields that can be selected; by default those of the result
 * @param always the fields that every selection includes
 */
export function shown<T extends object>(
  presentation: Presentation,
  { result: simplified, body }: Read<T>,
  selectable: object = simplified,
  always: object = {},
): IDataObject {
  if (presentation.form === 'raw') return body;
  const fields = presentation.form === 'selectedFields' ? presentation.fields : [];
  const selected = Object.entries(selectable).filter(([name]) => fields.includes(name));
  // Nothing is selected, or it is not in this answer: an agent that hears nothing might call again.
  if (selected.length === 0) return { ...simplified, ...always } as IDataObject;
  return { ...Object.fromEntries(selected), ...always } as IDataObject;
}
