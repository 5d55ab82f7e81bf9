import type { INodeProperties } from 'n8n-workflow';
import { callingHours } from './callingHours';
import { hoursOfNewCampaigns, hoursOfScheduledCalls, hoursOfUnknownCustomers } from './hoursFields';
import { capsOfScheduledCalls, dailyCaps } from './dailyCaps';
import { options } from '../fields';
import { doNotCall, doNotCallTableOfCampaigns } from './doNotCall';
import { duplicates, scheduledOnce } from './duplicates';
import {
  manualCampaigns,
  manualExecutions,
  manualPlacing,
  manualSchedules,
  simulatedOutcomes,
  testPhone,
  testPhoneOfSchedules,
} from './manualExecutions';
import { maxCalls, maxCallsToSchedule } from './maxCalls';
import {
  RuleObjection,
  RuleUndecided,
  type Objection,
  type Rule,
  type RuledCall,
  type RuleExecution,
  type RuleKind,
  type RuleParameters,
  type SetRule,
} from './rule';

/** The rules that are asked about each call, in this order. Max Calls and Manual Executions are read before. */
const RULES: RuleKind[] = [doNotCall, callingHours, duplicates, dailyCaps];

/** The rules asked when a call is scheduled. */
const ASKED_AHEAD: RuleKind[] = [doNotCall, duplicates];

function rulesCollection(...fields: INodeProperties[]): INodeProperties {
  return { ...options(...fields), displayName: 'Rules', name: 'rules', placeholder: 'Add rule' };
}

export const callRules = rulesCollection(
  manualExecutions,
  maxCalls,
  simulatedOutcomes,
  testPhone,
  ...RULES.flatMap(({ fields }) => fields),
);

export const scheduleRules = rulesCollection(
  manualSchedules,
  maxCallsToSchedule,
  testPhoneOfSchedules,
  hoursOfScheduledCalls,
  ...capsOfScheduledCalls,
  ...ASKED_AHEAD.flatMap(({ fields }) => fields),
);

/** The rule of the operation that places scheduled calls; the others stand in their rows. */
export const placeRules = rulesCollection(manualPlacing);

export const createRules = rulesCollection(
  manualCampaigns,
  ...hoursOfNewCampaigns,
  doNotCallTableOfCampaigns,
);

export const startRules = rulesCollection(manualCampaigns, ...hoursOfUnknownCustomers);

/** Reads the rules of one call; mistakes are noted in `parameters`. */
export function readRules(parameters: RuleParameters, call: RuledCall): Rules {
  return new Rules(RULES.flatMap((kind) => kind.read(parameters, call) ?? []));
}

/**
 * Reads the rules that are asked when a call is scheduled. Also notes mistakes of the rules that
 * are asked when it is due.
 *
 * @param isAgain whether it may be scheduled although it already waits or rings
 */
export function readRulesAhead(
  parameters: RuleParameters,
  call: RuledCall,
  isAgain: boolean,
): Rules {
  dailyCaps.read(parameters, call);
  const hours = callingHours.read(parameters, call);
  const rules = ASKED_AHEAD.flatMap((kind) => kind.read(parameters, call) ?? []);
  // Opened now for its warnings. It objects only when the call is due.
  const warn: SetRule = async (execution) => {
    await hours?.(execution);
    return { objection: async () => undefined };
  };
  if (hours !== undefined) rules.push(warn);
  return new Rules(isAgain ? rules : [...rules, scheduledOnce(call)]);
}

/** The rules of one call, in the order in which they are asked. */
export class Rules {
  private opened: Rule[] = [];

  constructor(private readonly unopened: SetRule[]) {}

  get areNone(): boolean {
    return this.unopened.length === 0;
  }

  /** Whether an open rule counts calls, so that this one needs a place among them. */
  get doCount(): boolean {
    return this.opened.some(({ admit }) => admit !== undefined);
  }

  /** Opens every rule; throws the error of one that cannot be opened: nobody may be called. */
  async open(execution: RuleExecution): Promise<void> {
    this.opened = await Promise.all(this.unopened.map(async (open) => await open(execution)));
  }

  /** Runs `decide` after the calls that come first. Do not call this while holding a place among requests under way. */
  async inTurn<T>(decide: () => Promise<T>): Promise<T> {
    const turns = this.opened.reduceRight(
      (next, rule) => async () => await (rule.inTurn?.(next) ?? next()),
      decide,
    );
    return await turns();
  }

  /** Asks every rule; throws a RuleObjection of the first that objects, or RuleUndecided. */
  async ask(): Promise<void> {
    const objection =
      (await this.firstObjection(async (rule) => await rule.objection(false))) ??
      // A rule may have waited, and the calling hours may have ended meanwhile.
      this.opened.map((rule) => rule.objectionNow?.()).find((one) => one !== undefined);
    if (objection !== undefined) throw new RuleObjection(objection);
  }

  /**
   * Asks every rule, and then has those that count calls claim a place for this one, which marks its row
   * as about to be placed. Does nothing when no rule counts. Do not call this while holding a place
   * among the requests under way.
   *
   * @throws RuleObjection
   * @throws RuleUndecided when a rule cannot decide
   */
  async admit(): Promise<void> {
    if (!this.doCount) return;
    await this.ask();
    const objection = await this.firstObjection(async (rule) => await rule.admit?.());
    if (objection !== undefined) throw new RuleObjection(objection);
  }

  /** The objection that a dry run reports; claims nothing for good. Throws RuleUndecided. */
  async wouldObject(): Promise<Objection | undefined> {
    const objection = await this.firstObjection(async (rule) => await rule.objection(true));
    if (objection !== undefined) await this.giveBack();
    return objection;
  }

  /** Gives back the claims of all rules, when nothing was sent. */
  async giveBack(): Promise<void> {
    const given = this.opened.map(async (rule) => await rule.giveBack?.());
    await Promise.allSettled(given);
    await Promise.all(given);
  }

  private async firstObjection(
    askOne: (rule: Rule) => Promise<Objection | undefined>,
  ): Promise<Objection | undefined> {
    for (const rule of this.opened) {
      const objection = await askOne(rule).catch((error: unknown) => {
        throw new RuleUndecided(error);
      });
      if (objection !== undefined) return objection;
    }
    return undefined;
  }
}
