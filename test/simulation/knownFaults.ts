import type { HISTORIES } from './histories/histories';
import type { LawName } from './laws';

/**
 * What the product is known to break today. Whoever mends one of these takes it out of this file: the tests
 * demand that each of them still fails.
 */
export const KNOWN_FAULTS: Partial<Record<keyof typeof HISTORIES, LawName>> = {};

/** Laws that drawn histories break today, and why. They are switched on as they come to hold. */
export const LAWS_OFF: Partial<Record<LawName, string>> = {};
