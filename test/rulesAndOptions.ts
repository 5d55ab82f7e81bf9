import type { IDataObject } from 'n8n-workflow';
import { callRules } from '../nodes/OutboundAiCalling/rules/rules';

const RULES = new Set((callRules.options ?? []).map(({ name }) => name));

/** Settings of a call as the panel groups them: those of rules, and the other options. */
export function rulesAndOptions(settings: IDataObject): {
  rules: IDataObject;
  options: IDataObject;
} {
  const entries = Object.entries(settings);
  return {
    rules: Object.fromEntries(entries.filter(([name]) => RULES.has(name))),
    options: Object.fromEntries(entries.filter(([name]) => !RULES.has(name))),
  };
}
