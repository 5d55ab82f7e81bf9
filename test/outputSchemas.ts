import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import Ajv, { type ErrorObject, type SchemaObject } from 'ajv';
import glob from 'fast-glob';

const MAKER = resolve(__dirname, '..', 'scripts', 'outputSchemas.mjs');

/** The schemas of what the nodes give out, as the build makes them, by their path under `v1.0.0`. */
export async function outputSchemas(): Promise<Map<string, SchemaObject>> {
  const directory = await mkdtemp(join(tmpdir(), 'output-schemas-'));
  try {
    const script = `import { writeOutputSchemas } from ${JSON.stringify(MAKER)};
      await writeOutputSchemas(${JSON.stringify(directory)});`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: resolve(__dirname, '..'),
    });
    const files = await glob('**/*.json', { cwd: directory });
    const schemas = files.map(async (file): Promise<[string, SchemaObject]> => {
      const text = await readFile(join(directory, file), 'utf8');
      return [
        file.replace('__schema__/v1.0.0', '').replace(/^\/|\.json$/g, ''),
        JSON.parse(text) as SchemaObject,
      ];
    });
    return new Map(await Promise.all(schemas));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The same schema, which takes no property that it does not name. */
function strict(schema: SchemaObject): SchemaObject {
  const { properties, items, ...rest } = schema as SchemaObject & {
    properties?: Record<string, SchemaObject>;
    items?: SchemaObject;
  };
  return {
    ...(properties === undefined ? {} : { additionalProperties: false }),
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, strict(value)]),
          ),
        }),
    ...(items === undefined ? {} : { items: strict(items) }),
  };
}

/** What an item has that its schema does not know, or lacks that it names; empty when they agree. */
export function disagreement(schema: SchemaObject | undefined, item: unknown): ErrorObject[] {
  if (schema === undefined) throw new Error('There is no such schema');
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  ajv.addKeyword('version'); // n8n's own
  const validate = ajv.compile(strict(schema));
  return validate(item) ? [] : (validate.errors ?? []);
}
