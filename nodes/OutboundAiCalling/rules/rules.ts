import type { INodeProperties } from 'n8n-workflow';
import { callingHoursField, callingHoursRule, outsideCallingHours } from './callingHours';
import {
  duplicateKey,
  duplicatesRule,
  preventDuplicates,
  readDuplicateKey,
  type DuplicateKeys,
} from './duplicates';
import { RuleObjection, RuleUndecided, type Rule, type RuleParameters } from './rule';

/** The fields of all rules, for the options of the operations that call somebody. */
export const ruleFields: INodeProperties[] = [
  callingHoursField,
  duplicateKey,
  outsideCallingHours,
  preventDuplicates,
];

/** What a person has set for one call. */
export interface RuleSettings {
  callingHours: Rule | undefined;
  /** Set when the same key must not be called again. */
  duplicateKey: string | undefined;
}

/**
 * Reads what a person has set; mistakes are noted in `parameters`.
 *
 * @param usualKey tells calls apart where duplicates are prevented and no key was given
 */
export function readRules(parameters: RuleParameters, usualKey: string): RuleSettings {
  return {
    callingHours: callingHoursRule(parameters),
    duplicateKey: readDuplicateKey(parameters, usualKey),
  };
}

/** The one list of all reasons not to call, in the order in which they are asked. */
export function rulesOf({ callingHours, duplicateKey: key }: RuleSettings, keys: DuplicateKeys) {
  return new Rules([
    ...(callingHours === undefined ? [] : [callingHours]),
    ...(key === undefined ? [] : [duplicatesRule(keys, key)]),
  ]);
}

/** The rules of one call, in the order in which they are asked. */
export class Rules {
  constructor(private readonly inOrder: Rule[]) {}

  /**
   * Asks every rule; the first that objects decides.
   *
   * @throws RuleObjection
   * @throws RuleUndecided when a rule does not know
   */
  async ask(): Promise<void> {
    for (const rule of this.inOrder) {
      const objection = await rule.objection().catch((error: unknown) => {
        throw new RuleUndecided(error);
      });
      if (objection !== undefined) throw new RuleObjection(objection);
    }
  }

  /** Nothing was sent: what rules have claimed is given back. */
  async giveBack(): Promise<void> {
    for (const rule of this.inOrder) await rule.giveBack?.();
  }
}
