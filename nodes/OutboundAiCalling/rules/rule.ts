/** Why a call is not placed. */
export interface Objection {
  reason: 'duplicate' | 'outsideCallingHours';
  /** When it will be allowed, where that is known. */
  nextAllowedAt?: Date | undefined;
}

/** A reason not to call, for one call. */
export interface Rule {
  /**
   * Asked just before each request of the call, so also again after a wait. A rule that claims
   * something claims it once.
   */
  objection(): Promise<Objection | undefined>;
  /** Nothing was sent: what was claimed is given back. */
  giveBack?(): Promise<void>;
}

/** How a rule reads its settings; what is wrong with them is noted. */
export interface RuleParameters {
  readonly workflowTimezone: string;
  has(path: string): boolean;
  value(path: string): unknown;
  text(path: string): string | undefined;
  switch(path: string, displayName: string, usual: boolean): boolean;
  choice<Value extends string>(
    path: string,
    displayName: string,
    values: readonly Value[],
    usual: Value,
  ): Value;
  refuse(parameter: string, message: string, advice?: string): void;
}

/** Thrown just before a request: a rule objects to the call. */
export class RuleObjection extends Error {
  override readonly name = 'RuleObjection';
  /** Whether the calling service may have acted on a request: none was sent to it. */
  readonly taken = 'no';

  constructor(readonly objection: Objection) {
    super(objection.reason);
  }
}

/** Thrown just before a request: whether a rule objects cannot be found out, so nobody is called. */
export class RuleUndecided extends Error {
  override readonly name = 'RuleUndecided';
  readonly taken = 'no';

  constructor(why: unknown) {
    const reason = why instanceof Error ? why.message : String(why);
    super(`Whether the call is allowed could not be found out: ${reason}`, { cause: why });
  }
}
