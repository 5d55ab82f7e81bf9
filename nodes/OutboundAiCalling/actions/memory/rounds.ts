import type { IExecuteFunctions, IRunExecutionData, ISourceData } from 'n8n-workflow';
import { memoized } from '../../collections';

/** Runs of nodes by their names, each with the names of the runs just before it, from which it has its items. */
type Runs = Map<string, { node: string; before: string[] }>;

const nameOf = (node: string, index: number) => `${index} ${node}`;

/** A run of a node and all from which it follows, as n8n notes them. */
function ledTo(
  runData: IRunExecutionData['resultData']['runData'],
  node: string,
  index: number,
  sources: Array<ISourceData | null> = runData[node]?.[index]?.source ?? [],
): Runs {
  const runs: Runs = new Map();
  const open = [{ node, index, sources }];
  for (let run; (run = open.pop()) !== undefined;) {
    const name = nameOf(run.node, run.index);
    if (runs.has(name)) continue;
    const before = run.sources.flatMap((source) => source ?? []);
    const earlier = before.map(({ previousNode, previousNodeRun = 0 }) => ({
      node: previousNode,
      index: previousNodeRun,
      sources: runData[previousNode]?.[previousNodeRun]?.source ?? [],
    }));
    runs.set(name, { node: run.node, before: earlier.map((one) => nameOf(one.node, one.index)) });
    open.push(...earlier);
  }
  return runs;
}

function timesIn(runs: Runs, node: string | undefined): number {
  return [...runs.values()].filter((run) => run.node === node).length;
}

/**
 * Whether two runs belong to different rounds of a loop: where they part, one has come by more often than the other.
 * Branches of one round part where both have come equally often.
 */
function areRounds(one: Runs, other: Runs): boolean {
  const isShared = (name: string) => one.has(name) && other.has(name);
  const apart = [...one, ...other].filter(([name]) => !isShared(name));
  const parting = apart.flatMap(([, { before }]) => before.filter(isShared));
  return parting.some((name) => {
    const node = one.get(name)?.node;
    return timesIn(one, node) !== timesIn(other, node);
  });
}

/**
 * The names of all nodes that lead to this one: itself too, when it is in a loop. Asked for node by node, because n8n 1
 * follows each way through the workflow by itself, and the ways double with each branch.
 */
export function nodesBefore(context: IExecuteFunctions): Set<string> {
  const found = new Set<string>();
  const open = [context.getNode().name];
  for (let name; (name = open.pop()) !== undefined;) {
    for (const before of parentsOf(context, name)) {
      if (found.has(before)) continue;
      found.add(before);
      open.push(before);
    }
  }
  return found;
}

function parentsOf(context: IExecuteFunctions, name: string): string[] {
  try {
    return context.getParentNodes(name, { depth: 1 }).map((node) => node.name);
  } catch {
    // n8n fails at a connection to a node that is gone.
    return [];
  }
}

/** What n8n notes of the runs of all nodes in this execution, by the names of the nodes. It has no public function for it. */
export function runDataOf(context: IExecuteFunctions): IRunExecutionData['resultData']['runData'] {
  const { runExecutionData } = context as Partial<{ runExecutionData: IRunExecutionData }>;
  return runExecutionData?.resultData.runData ?? {};
}

/** Tells whether an earlier run was another round of a loop. What n8n does not say is none. */
export function otherRounds(context: IExecuteFunctions): (runIndex: number) => boolean {
  const runData = runDataOf(context);
  const { name } = context.getNode();
  let own: Runs | undefined;
  return memoized((runIndex: number) => {
    const { $runIndex } = context.getWorkflowDataProxy(0);
    own ??= ledTo(runData, name, Number($runIndex), context.getExecuteData().source?.main);
    // Each round of a loop through this node follows from those before: no other runs are read for them.
    return own.has(nameOf(name, runIndex)) || areRounds(own, ledTo(runData, name, runIndex));
  });
}
