import { isBlank, type Body } from './reply';

/** The scripts of the account and their placeholders ("Script"). */
export class Scripts {
  /**
   * @param placeholders the placeholders of each script, by its id
   * @param unknown what becomes of ids that are not among them; accepted ones have no placeholders
   */
  constructor(
    private readonly placeholders: Record<number, string[]>,
    private readonly unknown: 'refused' | 'accepted',
  ) {}

  /** Whether a value is the id of a script: a number, never a string of digits. */
  has(scriptId: unknown): scriptId is number {
    if (typeof scriptId !== 'number' || !Number.isInteger(scriptId)) return false;
    return this.unknown === 'accepted' || Object.hasOwn(this.placeholders, scriptId);
  }

  /** The placeholders of a script that were not given, in the order of the script. */
  missing(scriptId: number, given: Body): string[] {
    return (this.placeholders[scriptId] ?? []).filter((name) => isBlank(given[name]));
  }
}
