import type { INodeProperties } from 'n8n-workflow';

/** Fields that several operations or both nodes show. */

/** A field for a number. Its default also applies when nobody has added the field. */
export type NumberField = INodeProperties & { type: 'number'; default: number };

export const scriptId: INodeProperties = {
  displayName: 'Script ID',
  name: 'scriptId',
  type: 'number',
  typeOptions: { minValue: 0, numberPrecision: 0 },
  default: '',
  required: true,
  placeholder: 'e.g. 12',
  description:
    'The whole number of the script in the dashboard of the calling service. After choosing another one, refresh the list in the menu of Script Variables.',
};

export const TRANSCRIPT_FORMS = ['turns', 'text'] as const;
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number];

export const transcript: INodeProperties = {
  displayName: 'Transcript',
  name: 'transcript',
  type: 'options',
  default: 'text',
  options: [
    {
      name: 'Text',
      value: 'text',
      description: 'One text, transcriptText, for the cell of a sheet or a mail',
    },
    {
      name: 'Turns',
      value: 'turns',
      description: 'A list, transcript, of speaker, text and offsetSec, as without this option',
    },
  ],
  description: 'How the output shows the conversation. Without Simplify it shows what came.',
};

/** A field in which a person adds names and values by hand. */
export function namesAndValues(
  displayName: string,
  name: string,
  entry: { displayName: string; name: string; hint: string; description: string },
): INodeProperties {
  const values: INodeProperties[] = [
    { displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: entry.hint },
    { displayName: 'Value', name: 'value', type: 'string', default: '' },
  ];
  return {
    displayName,
    name,
    type: 'fixedCollection',
    typeOptions: { multipleValues: true },
    default: {},
    placeholder: `Add ${entry.displayName.toLowerCase()}`,
    description: entry.description,
    options: [{ displayName: entry.displayName, name: entry.name, values }],
  };
}

export const simplify: INodeProperties = {
  displayName: 'Simplify',
  name: 'simplify',
  type: 'boolean',
  default: true,
  description:
    'Whether to return a simplified version of the response instead of the raw data of the calling service',
};

export const requestTimeoutSeconds: NumberField = {
  displayName: 'Request Timeout (Seconds)',
  name: 'requestTimeoutSeconds',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 30,
  description: 'How long to wait for one answer of the calling service',
};

export const concurrency: NumberField = {
  displayName: 'Concurrency',
  name: 'concurrency',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 10,
  description:
    'How many requests may be under way at the same time. It is no limit on how many phones ring.',
};

export const maxWaitMinutes: NumberField = {
  displayName: 'Max Wait (Minutes)',
  name: 'maxWaitMinutes',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 10,
  description:
    'How long to wait for the call to end. A call that is still going on after that is returned with the status in_progress.',
};

export const firstCheckAfterSeconds: NumberField = {
  displayName: 'First Check After (Seconds)',
  name: 'firstCheckAfterSeconds',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 15,
  description: 'How long after a call was placed to look for its outcome the first time',
};

export function dataTableLocator({
  placeholder,
  ...field
}: Pick<INodeProperties, 'displayName' | 'name' | 'description' | 'hint' | 'required'> & {
  placeholder: string;
}): INodeProperties {
  return {
    ...field,
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: 'Choose a data table...',
        typeOptions: { searchListMethod: 'searchDataTables', searchable: true },
      },
      { displayName: 'By Name', name: 'name', type: 'string', placeholder },
      {
        displayName: 'By ID',
        name: 'id',
        type: 'string',
        placeholder: 'e.g. Xk3mB0tz9hYwQ2aP',
        validation: [
          {
            type: 'regex',
            properties: { regex: '[a-zA-Z0-9]{1,36}', errorMessage: 'Not the ID of a data table' },
          },
        ],
      },
    ],
  };
}

/** The data table of the call log. The action node and the trigger show the same field. */
export const callLogTable = dataTableLocator({
  displayName: 'Call Log Table',
  name: 'callLogTable',
  required: true,
  placeholder: 'e.g. Calls',
  description: 'The data table of n8n with one row per call',
  hint: 'No table yet? Choose "By Name" and enter a new name to create one; from then on choose it from the list.',
});

/** A text above the fields, which holds no value. */
export function notice(name: string, displayName: string): INodeProperties {
  return { displayName, name, type: 'notice', default: '' };
}

export function options(...entries: INodeProperties[]): INodeProperties {
  return {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    options: [...entries].sort((a, b) => a.displayName.localeCompare(b.displayName)),
  };
}
