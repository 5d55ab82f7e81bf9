import type { HISTORIES } from './histories/histories';
import type { LawName } from './laws';
import type { Mutation } from './world/package';

/** A law of the product that is switched off, and the law of the simulation that has to notice. */
export interface SwitchedOff extends Mutation {
  breaks: LawName;
  /** What finds it: a history by name, or drawn ones, from a number on from which it is found soon. */
  by: { history: keyof typeof HISTORIES } | { seed: number };
}

/** Each switches off one law of the product in one place; histories have to find it. */
export const MUTATIONS = {
  'calling hours are not asked': {
    file: 'rules/callingHours.ts',
    from: 'objection: async () => ask()',
    to: 'objection: async () => undefined',
    breaks: 'nobodyAgainstRules',
    by: { seed: 1 },
  },
  'a trigger request is sent again whatever became of it': {
    file: 'http/retry.ts',
    from: 'return repeat.idempotent && (',
    to: 'return (',
    breaks: 'nobodyTwice',
    by: { seed: 10 },
  },
  'the do-not-call list is not asked': {
    file: 'rules/doNotCall.ts',
    from: 'const isListed = list.reasonFor(request.customerPhone) !== undefined;',
    to: 'const isListed = list === undefined;',
    breaks: 'nobodyAgainstRules',
    by: { seed: 45 },
  },
} satisfies Record<string, SwitchedOff>;
