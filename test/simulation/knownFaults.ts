import type { HISTORIES } from './histories/histories';
import type { LawName } from './laws';

/**
 * What the product is known to break today. Whoever mends one of these takes it out of this file: the tests
 * demand that each of them still fails.
 */
export const KNOWN_FAULTS: Partial<Record<keyof typeof HISTORIES, LawName>> = {
  cancelledWhileListIsWritten: 'nobodyAfterCancel',
  cancelledWhilePutBack: 'nobodyAfterCancel',
  listRefusedHalfWay: 'nobodyTwice',
  nextAttemptRefused: 'lastWordOfCalled',
  outcomeChangesAfterFirstLook: 'itemsAsRows',
  pausedBeforeEndIsWritten: 'everyOutcomeOnce',
  pausedWhileEndIsWritten: 'everyOutcomeOnce',
  timeByHand: 'handsCount',
};

/** Laws that drawn histories break today, and why. They are switched on as they come to hold. */
export const LAWS_OFF: Partial<Record<LawName, string>> = {
  everyOutcomeOnce: 'Ends are ordered by clocks, and a process that stands still writes late.',
  handsCount: 'A time that a person writes into a row is not read.',
  itemsAsRows: 'The trigger reads the outcome again after it was written.',
  lastWordOfAll: 'Attempts that are not placed write no end.',
  lastWordOfCalled: 'Whether another attempt follows is decided in several places.',
  nobodyAfterCancel: 'Cancel sees neither lists that are being written nor rows that come back.',
};
