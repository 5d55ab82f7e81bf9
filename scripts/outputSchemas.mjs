/** The schemas of what the nodes give out, from the types in `nodes/OutboundAiCalling/outputs.ts`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';

/** @import { JSONSchema7 } from 'json-schema' */

const TYPES = 'nodes/OutboundAiCalling/outputs.ts';
/** The version of the nodes, as n8n names the folder. */
const VERSION = 'v1.0.0';

/**
 * n8n's editor reads one object with its properties; what an operation gives in several forms becomes
 * one, in which only what all forms have is required.
 *
 * @param {JSONSchema7} schema
 * @returns {JSONSchema7}
 */
function flattened({ anyOf, additionalProperties, const: only, ...schema }) {
  if (anyOf !== undefined)
    return anyOf.map(flattened).reduce((one, other) => mergedWith(one, other));
  if (only !== undefined) return { ...schema, enum: [only] };
  const { properties = {}, items } = schema;
  const entries = Object.entries(properties).map(([name, value]) => [name, flattened(value)]);
  return {
    ...schema,
    ...(schema.properties === undefined ? {} : { properties: Object.fromEntries(entries) }),
    ...(items === undefined ? {} : { items: flattened(items) }),
    // Names that are not known beforehand, such as the keys of outcomes.
    ...(typeof additionalProperties === 'object' ? { additionalProperties } : {}),
  };
}

/**
 * @param {JSONSchema7} one
 * @param {JSONSchema7} other
 * @returns {JSONSchema7}
 */
function mergedWith(one, other) {
  const types = [...new Set([one.type, other.type].flat())];
  const type = types.length === 1 ? types[0] : types;
  const names = one.enum && other.enum ? { enum: [...new Set([...one.enum, ...other.enum])] } : {};
  const description = one.description ?? other.description;
  const told = description === undefined ? {} : { description };
  if (one.properties === undefined || other.properties === undefined) {
    return { type, ...told, ...names };
  }
  const properties = { ...one.properties };
  for (const [name, value] of Object.entries(other.properties)) {
    properties[name] = name in properties ? mergedWith(properties[name], value) : value;
  }
  const required = (one.required ?? []).filter((name) => other.required?.includes(name));
  return { type, properties, required };
}

/**
 * Writes a schema for each operation, and one for the trigger, where n8n looks for them.
 *
 * @param {string} directory that holds the nodes
 */
export async function writeOutputSchemas(directory) {
  const generator = createGenerator({
    path: TYPES,
    tsconfig: 'tsconfig.json',
    expose: 'none',
    topRef: false,
    sortProps: false,
    skipTypeCheck: true,
  });
  const { properties = {} } = generator.createSchema('OperationOutputs');
  const files = Object.entries(properties).map(([operation, schema]) => [
    `${VERSION}/${operation}.json`,
    schema,
  ]);
  const { $schema: _, definitions: __, ...fired } = generator.createSchema('TriggerNodeOutput');
  files.push([`${VERSION}.json`, fired]);
  for (const [file, schema] of files) {
    const path = join(directory, '__schema__', file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify({ ...flattened(schema), version: 1 }, null, 2)}\n`);
  }
}
