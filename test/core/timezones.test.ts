import 'reflect-metadata';
import { LoadOptionsContext } from 'n8n-core';
import {
  Workflow,
  type INode,
  type INodeTypes,
  type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { parseHours } from '../../nodes/OutboundAiCalling/rules/hours';

const calling = new OutboundAiCalling();
const node: INode = {
  id: 'calling',
  name: 'Temp-Node',
  type: 'n8n-nodes-outbound-ai-calling.outboundAiCalling',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

/** As n8n asks for a list: with a workflow whose time zone is that of n8n, whatever was chosen for it. */
function contextOf(instanceTimezone: string): LoadOptionsContext {
  const nodeTypes = { getByNameAndVersion: () => calling } as unknown as INodeTypes;
  const workflow = new Workflow({
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes,
    settings: { timezone: instanceTimezone },
  });
  const additionalData = { currentNodeParameters: {} } as IWorkflowExecuteAdditionalData;
  return new LoadOptionsContext(
    workflow,
    node,
    additionalData,
    'rules.callingHours.hours.timezone',
  );
}

describe('the list of time zones', () => {
  const list = async () =>
    await calling.methods.loadOptions.getTimezones.call(contextOf('Asia/Dubai'));

  it('begins with that of the workflow, in words, and says which it is unless one is chosen', async () => {
    expect((await list())[0]).toEqual({
      name: 'Time Zone of the Workflow (Asia/Dubai If None Is Set)',
      value: 'workflow',
      description:
        "As chosen under Settings in the workflow's menu; where none is chosen, the one of this n8n",
    });
  });

  it('has the names that people know, in order and once', async () => {
    const [, ...names] = (await list()).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'America/New_York']),
    );
    expect(names).not.toContain('Asia/Calcutta');
    expect(names).toEqual([...new Set(names)].sort());
    expect(names.length).toBeGreaterThan(400);
  });

  it('offers nothing that is refused afterwards', async () => {
    for (const { value } of await list()) {
      expect(parseHours({ timezone: value }, 'Asia/Dubai')).toHaveProperty('hours');
    }
  });
});
