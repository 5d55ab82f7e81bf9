import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { OutboundAiCallingApi } from '../../credentials/OutboundAiCallingApi.credentials';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node.ts';
import { OutboundAiCallingTrigger } from '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node.ts';
import { notCalledHint } from '../../nodes/OutboundAiCalling/rules/notCalledHint';
import { PAGES } from '../../test/reportPages';
import { PROJECT } from '../n8n';

/** Where the pictures lie, and beside them what each of them shows. */
export const PICTURES = join(PROJECT, 'docs', 'pictures');
export const MANIFEST = join(PICTURES, 'pictures.json');

/** The largest file that a picture may be, in bytes. */
export const LARGEST_PICTURE = 150_000;

/** The example that the README shows first; it is pictured in dark colours too. */
const SHOWN_FIRST = 'order-call-with-attempts';

/** An operation of the action node, as its built description declares it. */
export interface Operation {
  resource: string;
  operation: string;
  /** What its panel can show, in order. */
  properties: INodeProperties[];
}

type Kind =
  | { kind: 'canvas'; example: string; isDark: boolean }
  | ({ kind: 'panel' } & Operation)
  | { kind: 'credential' | 'trigger' | 'dataTable' | 'report' | 'hint' };

/** A picture that there has to be. */
export type Subject = Kind & {
  /** The file's name without its ending. */
  name: string;
  /** What is seen on it: when this changes, the picture is out of date. */
  shows: unknown;
};

/** The hint of the execution that is pictured. */
export const PICTURED_HINT = notCalledHint(
  [{ reason: 'duplicate' }, { reason: 'duplicate' }, { reason: 'doNotCall' }],
  { calls: 8, timezone: 'UTC' },
);

/** What a lively month of calls looks like as a page. */
export const PICTURED_REPORT = PAGES.month ?? '';

/** What a panel does not show: texts that come up under the mouse, and what other places show. */
const UNSEEN = ['description', 'action', 'builderHint'];

/** Fields as a panel shows them. */
function seen(properties: INodeProperties[]): unknown {
  const text = JSON.stringify(properties, (key, value: unknown) =>
    UNSEEN.includes(key) ? undefined : value,
  );
  return JSON.parse(text) as unknown;
}

const inDashes = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const isShownFor = (property: INodeProperties, resource: string, operation?: string) => {
  const { resource: resources, operation: operations } = property.displayOptions?.show ?? {};
  if (resources !== undefined && !resources.includes(resource)) return false;
  return operations === undefined || (operation !== undefined && operations.includes(operation));
};

/** All operations of the action node. */
export function operationsOf({ description } = new OutboundAiCalling()): Operation[] {
  const { properties } = description;
  const choices = (property: INodeProperties | undefined) =>
    ((property?.options ?? []) as INodePropertyOptions[]).map(({ value }) => String(value));
  const lists = properties.filter(({ name }) => name === 'operation');
  return choices(properties.find(({ name }) => name === 'resource')).flatMap((resource) =>
    choices(lists.find((list) => isShownFor(list, resource))).map((operation) => ({
      resource,
      operation,
      properties: properties.filter((property) => isShownFor(property, resource, operation)),
    })),
  );
}

async function canvases(): Promise<Subject[]> {
  const folder = join(PROJECT, 'examples');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const examples = files.map((file) => basename(file, '.json'));
  const first = examples.includes(SHOWN_FIRST) ? SHOWN_FIRST : examples[0];
  const drawn = [new OutboundAiCalling(), new OutboundAiCallingTrigger()].map(
    ({ description: { displayName, subtitle, outputs } }) => ({ displayName, subtitle, outputs }),
  );
  const made = examples.map(async (example): Promise<Subject[]> => {
    const shows = [JSON.parse(await readFile(join(folder, `${example}.json`), 'utf8')), drawn];
    const picture = { kind: 'canvas' as const, name: `canvas-${example}`, example, shows };
    const light = { ...picture, isDark: false };
    return example === first
      ? [light, { ...picture, name: `${picture.name}-dark`, isDark: true }]
      : [light];
  });
  return (await Promise.all(made)).flat();
}

/** All pictures that there have to be: new examples and operations are among them by themselves. */
export async function allSubjects(): Promise<Subject[]> {
  return [
    ...(await canvases()),
    ...operationsOf().map((operation): Subject => ({
      kind: 'panel',
      name: `panel-${inDashes(operation.resource)}-${inDashes(operation.operation)}`,
      shows: seen(operation.properties),
      ...operation,
    })),
    {
      kind: 'credential',
      name: 'credential',
      shows: seen(new OutboundAiCallingApi().properties),
    },
    {
      kind: 'trigger',
      name: 'trigger',
      shows: seen(new OutboundAiCallingTrigger().description.properties),
    },
    { kind: 'dataTable', name: 'data-table', shows: LOG_COLUMNS },
    { kind: 'report', name: 'report', shows: PICTURED_REPORT },
    { kind: 'hint', name: 'hint', shows: PICTURED_HINT },
  ];
}

/** What stands in the manifest for what a picture shows. */
export function fingerprint({ shows }: Subject): string {
  return createHash('sha256').update(JSON.stringify(shows)).digest('hex').slice(0, 16);
}

/** The fingerprint of what each picture showed when it was taken, by its name. */
export async function readManifest(): Promise<Record<string, string>> {
  const text = await readFile(MANIFEST, 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, string>;
}
