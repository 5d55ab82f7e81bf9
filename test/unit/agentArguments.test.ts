import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { refuseReplacedData } from '../../nodes/OutboundAiCalling/actions/agentArguments';
import type { ItemParameters } from '../../nodes/OutboundAiCalling/actions/itemParameters';

/** What is refused when n8n runs the node as a tool, and the agent gives these arguments. */
function refusedIn(parameters: IDataObject, given: IDataObject, more: object = {}): unknown[][] {
  const run = { inputOverride: { ai_tool: [[{ json: given }]] } };
  const context = {
    getNode: () => ({ name: 'Telephone', parameters }),
    getWorkflowDataProxy: () => ({ $runIndex: 1 }),
    getInputData: () => [{ json: { order: 'A-1', ...given, toolCallId: '1' } }],
    runExecutionData: { resultData: { runData: { Telephone: [{}, run] } } },
    ...more,
  } as unknown as IExecuteFunctions;
  const refuse = jest.fn();
  refuseReplacedData(context, { refuse } as unknown as ItemParameters);
  return refuse.mock.calls;
}

/** As n8n 1 says it: the arguments over the item of the agent, which the node before has given. */
function refusedInN8n1(given: IDataObject): unknown[][] {
  const items = ['A-1', 'A-2'].map((order) => ({ json: { order, phone: `${order} at home` } }));
  const json = { ...items[1]?.json, ...given, toolCallId: '1' };
  const pairedItem = {
    item: 0,
    sourceOverwrite: { previousNode: 'Orders', previousNodeOutput: 0 },
  };
  const run = { inputOverride: { ai_tool: [[{ json, pairedItem }]] } };
  const runData = { Telephone: [{}, run], Orders: [{ data: { main: [items] } }] };
  const more = { runExecutionData: { resultData: { runData } } };
  return refusedIn({ customerPhone: '={{ $json.phone }}' }, given, more);
}

/** As n8n says it when a person has reviewed the request: a run of the node before may not be there. */
function refusedAfterReview(orders: number, tool: string): unknown[][] {
  const items = Array.from({ length: orders }, () => ({ json: { order: 'A-1' } }));
  const from = { previousNode: 'Orders', previousNodeOutput: 0, previousNodeRun: 2 };
  const given = { json: { tool, topic: 'a cup' }, pairedItem: { item: 2, sourceOverwrite: from } };
  const run = { inputOverride: { ai_tool: [[given]] } };
  const runData = { Telephone: [{}, run], Orders: [{ data: { main: [items] } }] };
  return refusedIn({}, {}, { runExecutionData: { resultData: { runData } } });
}

const isRefused = (customerPhone: string, given: IDataObject) =>
  refusedIn({ customerPhone: `={{ ${customerPhone} }}` }, given).length > 0;

const GIVEN = { phone: '+12025550199' };

describe('what an AI agent gives in place of the data', () => {
  it.each([
    ...['$json.phone', '$json["phone"]', "$json?.['phone']", '$json?.phone', '$json\n  .phone'],
    ...['$json.phone.trim()', '$json.phone ?? $json.mobile', '$data.phone', '$data["phone"]'],
    ...['$input.item.json.phone', '$input.item?.json?.phone', '$input.first().json["phone"]'],
    ...[
      '$input.first()\n.json.phone',
      '$input.all()[0].json.phone',
      '$input.all().at(0).json.phone',
    ],
    ...['$input.all().map((one) => one.json.phone)[0]', '$items()[0].json.phone'],
    ...['$json.phone || $fromAI("phone")', '$fromAI("Phone") || $json.phone'],
    ...['[$json]', 'JSON.stringify($input.first().json)', '(({ phone }) => phone)($json)'],
    ...['$input.all().map((one) => one.json)', '$input.all()[$itemIndex].json.phone'],
    ...['$jmespath($json, "phone")', '(() => { const { name, phone } = $json; return phone })()'],
  ])('is refused in %s', (expression) => {
    expect(isRefused(expression, GIVEN)).toBe(true);
  });

  it('is told from the data in n8n 1, which says both together', () => {
    expect(refusedInN8n1({ topic: 'a cup' })).toEqual([]);
    expect(refusedInN8n1({ topic: 'a cup', phone: 'A-2 at home' })).toEqual([]);
    expect(refusedInN8n1({ topic: 'a cup', phone: 'another' })).toHaveLength(1);
  });

  it('is refused after a human review, which n8n asks for of one item and takes for all of them', () => {
    expect(refusedAfterReview(3, 'Telephone')).toEqual([
      [
        'The human review',
        'is that of one of 3 items, and n8n takes it for all of them',
        'Put a Loop Over Items with a Batch Size of 1 before the agent.',
      ],
    ]);
    expect(refusedAfterReview(1, 'Telephone')).toEqual([]);
    expect(refusedAfterReview(3, 'Another_tool')).toEqual([]);
  });

  it('is named with the field that it would change, however deep', () => {
    const rules = { duplicateKey: '={{ $json["order number"] }}' };
    const values = [
      { name: 'brand', value: 'Of {{ $json.phone }}' },
      { name: 'x', value: '=1' },
    ];
    expect(refusedIn({ rules, variables: { values } }, { 'order number': 7, ...GIVEN })).toEqual([
      [
        '"duplicateKey"',
        'takes "order number" from the data, and the AI agent may have given another one',
        `Ask again without "order number". If the agent is to choose it, write $fromAI('order number') into the field.`,
      ],
    ]);
  });

  it.each([
    ...['$fromAI("phone")', '$fromAI("phone") || $json.phone', "$fromai( 'phone' ) ?? $json.phone"],
    ...['$json.customer.phone', '$json.phones', '$json.phone2', '$json.$phone', '$json.Phone'],
    ...['$("Order").item.json.phone', "$('Order').first().json.phone", '$now', '$json.order'],
    ...['$("Order").item.json.phone + $json.order', '"phone"'],
  ])('is none in %s', (expression) => {
    expect(isRefused(expression, GIVEN)).toBe(false);
  });

  it('is told to whoever has built the workflow, where the node asks the agent for it', () => {
    const parameters = {
      customerPhone: '={{ $json.phone }}',
      orderNotes: "={{ $fromAI('phone', 'What to say of the phone') }}",
    };
    expect(refusedIn(parameters, GIVEN)).toEqual([
      [
        '"customerPhone"',
        'takes "phone" from the data, and the AI agent may have given another one',
        "In this node, give $fromAI('phone') another name: n8n puts the answer of the agent over the field of the data.",
      ],
    ]);
  });

  it('is none in the whole item that another field lets the agent add to', () => {
    const parameters = {
      contactsJson: '={{ JSON.stringify([$json]) }}',
      orderNotes: "={{ $fromAI('phone') }}",
    };
    expect(refusedIn(parameters, GIVEN)).toEqual([]);
  });

  it('is told of a field with a list to choose from by the name of the field', () => {
    const callLogTable = { __rl: true, mode: 'name', value: '={{ $json.phone }}' };
    expect(refusedIn({ callLogTable }, GIVEN).flat()[0]).toBe('"callLogTable"');
  });

  it('may be any field when a retry by hand no longer has what the agent gave', () => {
    const parameters = { customerPhone: '={{ $json.order }}' };
    const popped = { runExecutionData: { resultData: { runData: { Telephone: [{}] } } } };
    expect(refusedIn(parameters, GIVEN, popped)).toHaveLength(1);
    const inEditor = { ...popped, getInputData: () => [{ json: { order: 'A-1' } }] };
    expect(refusedIn(parameters, GIVEN, inEditor)).toEqual([]);
  });

  it('is none in what the agent was told of the tool', () => {
    expect(refusedIn({ toolDescription: '={{ $json.phone }}' }, GIVEN)).toEqual([]);
  });

  it('may have any name', () => {
    const odd = JSON.parse('{ "": 1, "x(": 2, "__proto__": 3, "$&": 4 }') as IDataObject;
    expect(isRefused('$json.phone', odd)).toBe(false);
  });

  it('changes nothing where n8n gives the node the data alone', () => {
    const parameters = { customerPhone: '={{ $json.phone }}' };
    const within = { cloneWith: jest.fn(), getNextRunIndex: jest.fn() };
    expect(refusedIn(parameters, GIVEN, within)).toEqual([]);
    expect(refusedIn(parameters, {})).toEqual([]);
  });
});
