import type { Books } from '../books';
import type { History } from '../history';
import {
  accountsStayApart,
  agentsCallOnce,
  deletedIsNotCalled,
  doubtStopsNobody,
  knownToOthers,
  nobodyTwice,
  onePersonAtATime,
  nobodyWhoIsRung,
  scheduledOnce,
  trialsCallNobody,
} from './calling';
import { nobodyOverCaps } from './caps';
import {
  cancelledByHandIsCancelled,
  cancelledMeansCancelled,
  nobodyAfterCancel,
} from './cancelling';
import { executionsEnd, inTime, listsInOneGo, nobodyForgotten } from './inTime';
import {
  everyOutcomeOfInstance,
  everyOutcomeOnce,
  notPlacedDidNotRing,
  oneLastWord,
  outcomesAreTrue,
  retryTellsLastWord,
  wasScheduled,
} from './outcomes';
import type { Check } from './questions';
import {
  itemsAsRows,
  nobodyDiesByItself,
  scheduledMeansScheduled,
  writtenPhoneRings,
  writtenTimeCounts,
} from './rows';
import {
  listedMeansListed,
  neverTooMany,
  nobodyAgainstRules,
  notBeforeCallAt,
  wishesAreKept,
} from './rules';
import {
  duplicateTells,
  earlierTryTells,
  nobodyMeansNobody,
  notCalledMeansNotCalled,
  nothingFailsByItself,
  placedCallsAreTold,
} from './telling';
import { attemptsWait, toldTimesAreTrue } from './times';

// All laws by name.

/** What a history has shown to be broken. */
export interface Violation {
  law: LawName;
  what: string;
}

const LAWS = {
  nobodyTwice,
  onePersonAtATime,
  nobodyWhoIsRung,
  nobodyAfterCancel,
  cancelledByHandIsCancelled,
  nobodyAgainstRules,
  nobodyOverCaps,
  nobodyForgotten,
  writtenPhoneRings,
  writtenTimeCounts,
  notBeforeCallAt,
  neverTooMany,
  notCalledMeansNotCalled,
  trialsCallNobody,
  wishesAreKept,
  listedMeansListed,
  everyOutcomeOfInstance,
  scheduledOnce,
  everyOutcomeOnce,
  notPlacedDidNotRing,
  lastWordOfCalled: oneLastWord((order, { rings }) =>
    rings.some((ring) => ring.order === order && ring.isTold),
  ),
  lastWordOfAll: oneLastWord(wasScheduled),
  retryTellsLastWord,
  itemsAsRows,
  scheduledMeansScheduled,
  nobodyMeansNobody,
  placedCallsAreTold,
  listsInOneGo,
  nothingFailsByItself,
  cancelledMeansCancelled,
  earlierTryTells,
  duplicateTells,
  executionsEnd,
  nobodyDiesByItself,
  doubtStopsNobody,
  inTime,
  accountsStayApart,
  knownToOthers,
  outcomesAreTrue,
  agentsCallOnce,
  deletedIsNotCalled,
  toldTimesAreTrue,
  attemptsWait,
} satisfies Record<string, Check>;

export type LawName = keyof typeof LAWS;

export const LAW_NAMES = Object.keys(LAWS) as LawName[];

/** Holds the books of a history against the laws. */
export function violations(
  history: History,
  books: Books,
  laws: readonly LawName[] = LAW_NAMES,
): Violation[] {
  return laws.flatMap((law) => LAWS[law](history, books).map((what) => ({ law, what })));
}
