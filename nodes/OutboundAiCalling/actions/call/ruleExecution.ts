import type { CallLog } from '../../callLog/callLog';
import type { RuleExecution } from '../../rules/rule';
import type { OperationExecution } from '../execution';

export function ruleExecution(
  { context, memory, concurrency }: Pick<OperationExecution, 'context' | 'memory' | 'concurrency'>,
  log: CallLog | undefined,
): RuleExecution {
  const made = new Map<string, unknown>();
  return {
    context,
    log,
    concurrency,
    notes: memory.notes,
    shared: <T>(name: string, make: () => T): T => {
      if (!made.has(name)) made.set(name, make());
      return made.get(name) as T;
    },
  };
}
