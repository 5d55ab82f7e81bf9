import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../../hints';
import { groupBy } from '../../collections';
import { itemsLeftOut } from '../executeOnce';
import type { ItemParameters } from '../itemParameters';
import type { NodeParameters } from '../nodeParameters';
import { contactsSourceOf, fileOf } from './contactsSource';

export interface CampaignItems {
  /** The first of them, whose parameters are read. */
  itemIndex: number;
  pairedItem: { item: number } | Array<{ item: number }>;
}

/** Items with the same key ask for the same campaign. It holds all parameters, and the file. */
async function campaignKey(parameters: NodeParameters, item: number): Promise<string> {
  const settings = parameters.fingerprintOf(item);
  // An expression fails. Reading the item says which.
  if (settings === undefined) return `item ${item}`;
  const { context } = parameters;
  if (contactsSourceOf(context) !== 'csvFile') return settings;
  const file = await fileOf(context, item, parameters.value('binaryPropertyName', item));
  const content = file === undefined ? '' : createHash('sha256').update(file).digest('hex');
  return `${settings} ${content}`;
}

/**
 * The campaigns that the input items ask for. Input items that are the contacts form one list. A
 * list that is pasted, or comes from elsewhere in the workflow, is the same for several items: they
 * ask for one campaign, unless another parameter differs.
 */
export async function campaignsOfItems(parameters: NodeParameters): Promise<CampaignItems[]> {
  const { context } = parameters;
  const isOne = contactsSourceOf(context) === 'inputItems';
  const keys: string[] = [];
  for (const item of context.getInputData().keys()) {
    keys.push(isOne ? '' : await campaignKey(parameters, item));
  }
  const groups = [...groupBy(keys.keys(), (item) => keys[item]).values()];
  if (!isOne) tellMerged(context, groups);
  return groups.map((group) => {
    const [itemIndex = 0] = group;
    const paired = group.map((item) => ({ item }));
    return { itemIndex, pairedItem: group.length === 1 ? { item: itemIndex } : paired };
  });
}

/** What all people of a campaign share, by the names of the panel. */
const SHARED = {
  campaignName: 'Campaign Name',
  scriptId: 'Script ID',
  scriptVariables: 'Script Variables',
  additionalFields: 'Additional Fields',
  kind: 'Kind',
  startImmediately: 'Start Immediately',
  rules: 'Rules',
  options: 'Options',
};

/** Refuses contacts that ask for several campaigns: a person would get the script of another. */
export async function refuseDifferingItems(
  nodeParameters: NodeParameters,
  parameters: ItemParameters,
): Promise<void> {
  if (contactsSourceOf(parameters.context) !== 'inputItems') return;
  refuseExecuteOnce(parameters);
  for (const [name, displayName] of Object.entries(SHARED)) {
    const item = await nodeParameters.differingItem(name);
    if (item === undefined) continue;
    parameters.refuse(
      displayName,
      `differs between the items: item ${item} does not have that of item 0`,
      'All input items become the contacts of one campaign, so this must be the same for all. What differs from person to person goes into Contact Fields. For several campaigns, run this node once for each, e.g. in a loop.',
    );
  }
}

/** With "Execute Once", n8n gives the node the first item alone: nobody else would be in the list. */
function refuseExecuteOnce(parameters: ItemParameters): void {
  const leftOut = itemsLeftOut(parameters.context);
  if (leftOut === 0) return;
  const message = `leaves out ${leftOut} of ${leftOut + 1} people: n8n takes the first item alone`;
  const advice =
    'Turn it off in the settings of the node: all input items become the contacts of one campaign.';
  parameters.refuse('Execute Once', message, advice);
}

function tellMerged(context: IExecuteFunctions, groups: number[][]): void {
  const merged = groups.filter((group) => group.length > 1);
  if (merged.length === 0) return;
  const items = merged.reduce((sum, group) => sum + group.length, 0);
  const message =
    merged.length === 1
      ? `${items} input items ask for the same campaign: it is created once.`
      : `${items} input items ask for ${merged.length} campaigns: each is created once.`;
  tellHint(context, message, 'info');
}
