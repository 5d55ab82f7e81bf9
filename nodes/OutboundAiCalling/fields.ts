import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

/** Fields that several operations show. */

export const scriptId: INodeProperties = {
  displayName: 'Script ID',
  name: 'scriptId',
  type: 'number',
  typeOptions: { minValue: 0, numberPrecision: 0 },
  default: 0,
  required: true,
  description:
    'The whole number that the dashboard of the calling service shows beside the script that the AI agent follows',
};

export const scriptVariables: INodeProperties = {
  displayName: 'Script Variables',
  name: 'scriptVariables',
  type: 'resourceMapper',
  noDataExpression: true,
  default: { mappingMode: 'defineBelow', value: null },
  typeOptions: {
    loadOptionsDependsOn: ['scriptId'],
    resourceMapper: {
      resourceMapperMethod: 'getScriptVariables',
      mode: 'map',
      valuesLabel: 'Script Variables',
      fieldWords: { singular: 'variable', plural: 'variables' },
      addAllFields: true,
      supportAutoMap: false,
      multiKeyMatch: false,
      hideNoDataError: true,
    },
  },
};

/** Names and values added by hand, as entries of a collection. */
export function namesAndValues(
  displayName: string,
  name: string,
  entry: { displayName: string; name: string; hint: string; description: string },
): INodeProperties {
  const values: INodeProperties[] = [
    {
      displayName: 'Name',
      name: 'name',
      type: 'string',
      default: '',
      placeholder: entry.hint,
    },
    { displayName: 'Value', name: 'value', type: 'string', default: '' },
  ];
  const collection: INodePropertyCollection = {
    displayName: entry.displayName,
    name: entry.name,
    values,
  };
  return {
    displayName,
    name,
    type: 'fixedCollection',
    typeOptions: { multipleValues: true },
    default: {},
    placeholder: `Add ${entry.displayName}`,
    description: entry.description,
    options: [collection],
  };
}

export const moreVariables = namesAndValues('More Variables', 'moreVariables', {
  displayName: 'Variable',
  name: 'variable',
  hint: 'e.g. brand_name',
  description:
    'Script variables for which no field is shown above, e.g. because the script ID comes from an expression',
});

export const simplify: INodeProperties = {
  displayName: 'Simplify',
  name: 'simplify',
  type: 'boolean',
  default: true,
  description:
    'Whether to return a simplified version of the response instead of the raw data of the calling service',
};

export const requestTimeoutSeconds: INodeProperties = {
  displayName: 'Request Timeout (Seconds)',
  name: 'requestTimeoutSeconds',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 30,
  description: 'How long to wait for one answer of the calling service',
};

export const concurrency: INodeProperties = {
  displayName: 'Concurrency',
  name: 'concurrency',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 10,
  description: 'How many requests may be under way at the same time',
};

export const defaultCountry: INodeProperties = {
  displayName: 'Default Country',
  name: 'defaultCountry',
  type: 'string',
  default: '',
  placeholder: 'e.g. IN',
  description:
    'Two-letter code of the country that phone numbers without a country code belong to. Leave empty to refuse such numbers.',
};

export const maxWaitMinutes: INodeProperties = {
  displayName: 'Max Wait (Minutes)',
  name: 'maxWaitMinutes',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 10,
  description:
    'How long to wait for the call to end. A call that is still going on after that is returned with the status in_progress.',
};

/** The collection that holds an operation's seldom-needed settings. */
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
