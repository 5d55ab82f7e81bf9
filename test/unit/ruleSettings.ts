import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import { isRecord } from '../../nodes/OutboundAiCalling/http/json';
import type {
  RuledCall,
  RuleExecution,
  RuleParameters,
} from '../../nodes/OutboundAiCalling/rules/rule';
import { SettingsReader } from '../../nodes/OutboundAiCalling/settingsReader';

/** The rules of one item as a person has set them, beside other settings, and the mistakes in them. */
export class RuleSettings extends SettingsReader implements RuleParameters {
  /** Of each mistake: the parameter, what is wrong, and what to do. */
  readonly mistakes: string[][] = [];
  readonly workflowTimezone = 'Asia/Kolkata';
  isManual = false;
  isDue = false;
  isExpression: (path: string) => boolean = () => true;
  dependsOnItem: (path: string) => boolean = () => true;

  constructor(
    private readonly rules: IDataObject,
    private readonly others: IDataObject = {},
  ) {
    super();
  }

  has(path: string): boolean {
    return this.value(path) !== undefined;
  }

  value(path: string): unknown {
    const settings: unknown = { ...this.others, rules: this.rules };
    return path
      .split('.')
      .reduce((value, name) => (isRecord(value) ? value[name] : undefined), settings);
  }

  refuse(...mistake: string[]): void {
    this.mistakes.push(mistake);
  }
}

/** A call to a number, of which no row is in a log. */
export const callTo = (customerPhone: string): RuledCall => ({
  request: { scriptId: 7, customerPhone, variables: {} },
});

/** An execution without a log, and the hints that it tells, each after its type. */
export function executionWithHints(
  more: Partial<IExecuteFunctions> = {},
): RuleExecution & { hints: string[] } {
  const hints: string[] = [];
  const made = new Map<string, unknown>();
  const context = {
    getMode: () => 'trigger',
    ...more,
    addExecutionHints: ({ message, type }: NodeExecutionHint) =>
      void hints.push(`${type}: ${message}`),
  };
  return {
    ...{ hints, log: undefined, concurrency: 1, notes: {} },
    context: context as unknown as IExecuteFunctions,
    shared: <T>(name: string, make: () => T): T => {
      if (!made.has(name)) made.set(name, make());
      return made.get(name) as T;
    },
  };
}
