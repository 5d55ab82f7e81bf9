import {
  displayParameter,
  type INodeParameters,
  type INodeProperties,
  type NodeParameterValueType,
} from 'n8n-workflow';
import type { DataTable } from '../n8n';

/** The order that is at hand where a panel is pictured. */
export const ORDER = {
  orderNumber: '1042',
  phone: '+12025550114',
  customerName: 'Nathan Smith',
  amount: '49.90',
  brand: 'Acme',
  notes: 'Two parcels',
  orderId: 4821,
  campaignId: 317,
};

/** The script with variables that the emulated service knows. */
export const SCRIPT = { id: 12, variables: ['brand_name', 'order_amount'] };

const VARIABLES = ['={{ $json.brand }}', '={{ $json.amount }}'];

/** What people enter, by the name of the parameter, wherever it stands. */
const ENTERED: Record<string, NodeParameterValueType> = {
  scriptId: SCRIPT.id,
  customerPhone: '={{ $json.phone }}',
  contactPhone: '={{ $json.phone }}',
  customerName: '={{ $json.customerName }}',
  orderNumber: '={{ $json.orderNumber }}',
  orderId: '={{ $json.orderId }}',
  campaignId: '={{ $json.campaignId }}',
  cancelValue: '={{ $json.orderNumber }}',
  callLog: 'dataTable',
  manualExecutions: 'testPhone',
  testPhone: '+12025550123',
  watch: 'callLog',
  maxInProgress: 10,
  retry: { plan: { outcomes: 'no_answer, voicemail, busy', afterMinutes: '30, 120, 1440' } },
  callAt: '={{ $now.plus({ hours: 2 }) }}',
  from: "={{ $now.startOf('month') }}",
  to: '={{ $now }}',
  scriptVariables: {
    mappingMode: 'defineBelow',
    value: Object.fromEntries(
      SCRIPT.variables.map((name, index) => [name, VARIABLES[index] ?? '']),
    ),
    matchingColumns: [],
    schema: SCRIPT.variables.map((id) => ({
      id,
      displayName: id,
      required: true,
      defaultMatch: false,
      display: true,
      canBeUsedToMatch: false,
      type: 'string',
    })),
    attemptToConvertTypes: false,
    convertFieldsToString: false,
  } as unknown as NodeParameterValueType,
};

const EXAMPLE = /^e\.g\. /;

/** One entry of a list of choices, or nothing that fits. */
function chosen({ options = [] }: INodeProperties, wanted: unknown): NodeParameterValueType {
  const values = options.flatMap((option) => ('value' in option ? [option.value] : []));
  // Where no single person is called, nobody's telephone stands in for theirs.
  return values.find((value) => value === wanted) ?? values.at(-1);
}

function collected({ options = [] }: INodeProperties, table: DataTable): INodeParameters {
  const entries = (options as INodeProperties[]).filter(({ name }) => name in ENTERED);
  return Object.fromEntries(entries.map((entry) => [entry.name, valueOf(entry, table)]));
}

function valueOf(property: INodeProperties, table: DataTable): NodeParameterValueType {
  const { name, type, placeholder = '' } = property;
  if (type === 'collection') return collected(property, table);
  if (type === 'resourceLocator') {
    return { __rl: true, mode: 'list', value: table.id, cachedResultName: table.name };
  }
  if (name in ENTERED) {
    return type === 'options' ? chosen(property, ENTERED[name]) : ENTERED[name];
  }
  if (type === 'string' && EXAMPLE.test(placeholder)) return placeholder.replace(EXAMPLE, '');
  return property.default;
}

/**
 * The parameters of a node as a person fills them in: what is known for a name, else the example in
 * the field, else its default.
 */
export function filledIn(
  properties: INodeProperties[],
  table: DataTable,
  already: INodeParameters = {},
): INodeParameters {
  const values = { ...already };
  // What is shown depends on what was chosen above it.
  for (const property of properties) {
    if (property.type === 'notice' || property.name in values) continue;
    if (!displayParameter(values, property, null, null)) continue;
    values[property.name] = valueOf(property, table);
  }
  return values;
}
