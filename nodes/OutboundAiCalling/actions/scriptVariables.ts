import type { INodeProperties, ResourceMapperField } from 'n8n-workflow';
import { namesAndValues } from '../fields';
import { isRecord } from '../http/json';
import { objectionToVariableName, type ScriptVariables } from '../service/scriptVariables';
import { readScriptValue } from '../objections';
import type { ItemParameters } from './itemParameters';

const shownFields: INodeProperties = {
  displayName: 'Script Variables',
  name: 'scriptVariables',
  type: 'resourceMapper',
  noDataExpression: true,
  default: { mappingMode: 'defineBelow', value: null },
  typeOptions: {
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

const HAS_FIELDS = { '/scriptVariables.schema': [{ _cnd: { exists: true as const } }] };

/**
 * A field for each placeholder of the script. The editor empties the fields whenever a parameter
 * changes on which they depend. They depend on the script ID only until the editor has shown some
 * fields. After that, a slip in the script ID deletes no values.
 */
export const scriptVariables: INodeProperties[] = [
  {
    ...shownFields,
    typeOptions: { ...shownFields.typeOptions, loadOptionsDependsOn: ['scriptId'] },
    displayOptions: { hide: HAS_FIELDS },
  },
  { ...shownFields, displayOptions: { show: HAS_FIELDS } },
];

/** For placeholders that have no field. */
export const moreVariables = namesAndValues('More Variables', 'moreVariables', {
  displayName: 'Variable',
  name: 'variable',
  hint: 'e.g. brand_name',
  description:
    'Script variables for which no field is shown above, e.g. because the script ID comes from an expression',
});

/** Reads the values of placeholders: the fields of "Script Variables", and names added by hand. */
export function readScriptVariables(parameters: ItemParameters): {
  variables: ScriptVariables;
  missing: string[];
} {
  const mapper = parameters.value('scriptVariables') as {
    value?: unknown;
    schema?: ResourceMapperField[];
  } | null;
  const added = parameters.pairs('additionalFields.moreVariables.variable', 'More Variables');
  const variables: ScriptVariables = {};
  const mapped = mapper?.value ?? {};
  if (!isRecord(mapped)) parameters.refuse('Script Variables', 'are no names and values');
  const fields = isRecord(mapped) ? Object.entries(mapped) : [];
  for (const [name, value] of [...fields, ...added]) {
    const nameObjection = objectionToVariableName(name);
    const reading = readScriptValue(value);
    if (nameObjection !== undefined) {
      const advice = 'Give the placeholder another name in the script.';
      parameters.refuse('Script Variables', `cannot be sent: ${nameObjection}`, advice);
    } else if (reading === undefined) {
      continue;
    } else if ('objection' in reading) {
      parameters.refuse(`Script Variables, "${name}",`, reading.objection);
    } else if (Object.hasOwn(variables, name) && variables[name] !== reading.text) {
      parameters.refuse('Script Variables', `give "${name}" twice`, 'Remove one of its values.');
    } else {
      variables[name] = reading.text;
    }
  }
  const missing = (mapper?.schema ?? [])
    .filter(
      ({ id, required, removed }) => required && removed !== true && !Object.hasOwn(variables, id),
    )
    .map(({ id }) => id);
  return { variables, missing };
}

export function refuseMissingVariables(
  parameters: ItemParameters,
  missing: string[],
  advice: string,
): void {
  if (missing.length === 0) return;
  const lack = missing.length === 1 ? 'lacks a value' : 'lack values';
  parameters.refuse('Script Variables', `${lack} for ${missing.join(', ')}`, advice);
}
