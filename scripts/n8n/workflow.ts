import type { IConnections, INode, IWorkflowSettings } from 'n8n-workflow';

/** A node as a workflow file writes it; n8n gives it an id when it has none. */
export type WorkflowNode = Omit<INode, 'id'> & { id?: string };

/** A workflow as a file holds it: what `Import from file` in the editor takes. */
export interface WorkflowFile {
  name: string;
  nodes: WorkflowNode[];
  connections: IConnections;
  settings?: IWorkflowSettings;
  pinData?: Record<string, unknown[]>;
  staticData?: Record<string, unknown>;
}

/** A workflow that n8n has stored. */
export interface SavedWorkflow extends WorkflowFile {
  id: string;
  versionId: string;
  active: boolean;
}

/** The same workflow with a script in every node that asks for one: examples have none. */
export function withScript(workflow: WorkflowFile, scriptId: number): WorkflowFile {
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) =>
      'scriptId' in node.parameters
        ? { ...node, parameters: { ...node.parameters, scriptId } }
        : node,
    ),
  };
}

/** The same workflow with a credential put into every node that asks for one of its type. */
export function withCredential(
  workflow: WorkflowFile,
  type: string,
  credential: { id: string; name: string },
): WorkflowFile {
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) =>
      node.credentials?.[type]
        ? {
            ...node,
            credentials: {
              ...node.credentials,
              [type]: { id: credential.id, name: credential.name },
            },
          }
        : node,
    ),
  };
}
