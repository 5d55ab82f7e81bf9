import type { History } from '../history';
import { agentWritesOtherwiseAtOnce } from './agentWritesOtherwiseAtOnce';
import { askedAgainWhileClockIsSetBack } from './askedAgainWhileClockIsSetBack';
import { batchEmptiedWhileDeadAreEnded } from './batchEmptiedWhileDeadAreEnded';
import { calledAgainAfterKill } from './calledAgainAfterKill';
import {
  calledInSecondTry,
  calledWhenAgentAsksAgain,
  calledWhenAgentAsksAgainWithNewKey,
  calledWithNewKeyWhileTablesFail,
} from './calledInFurtherTry';
import { cancelledBeforeAgentRepeats } from './cancelledBeforeAgentRepeats';
import { cancelledBeforeItIsKnownToRing } from './cancelledBeforeItIsKnownToRing';
import {
  cancelledBeforeListIsTriedAgain,
  cancelledBeforeNextTry,
  cancelledBeforeRetry,
} from './cancelledBetweenTries';
import { cancelledByHandWhileAnotherIsMended } from './cancelledByHandWhileAnotherIsMended';
import { cancelledByHandWhileHeld } from './cancelledByHandWhileHeld';
import { cancelledByHandWhileItRings } from './cancelledByHandWhileItRings';
import { cancelledJustBeforeItIsPlaced } from './cancelledJustBeforeItIsPlaced';
import { cancelledWhileEndIsWritten } from './cancelledWhileEndIsWritten';
import { cancelledWhileItIsSent } from './cancelledWhileItIsSent';
import { cancelledWhileItsTurnIsFar } from './cancelledWhileItsTurnIsFar';
import { cancelledWhileListIsWritten } from './cancelledWhileListIsWritten';
import { cancelledWhileListIsWrittenTwice } from './cancelledWhileListIsWrittenTwice';
import { cancelledWhileOtherRetryHasItsTurn } from './cancelledWhileOtherRetryHasItsTurn';
import { cancelledWhilePutBack } from './cancelledWhilePutBack';
import { cancelledWhileProcessStandsStill } from './cancelledWhileProcessStandsStill';
import { endSeenInSlowAnswer, endsSeenOutOfOrder } from './endsSeenOutOfOrder';
import {
  hoursEndWhileDuplicatesAreAsked,
  hoursEndWhileRowsAreMarked,
} from './hoursEndWhileN8nIsSlow';
import {
  idGivenAgainBeforeRowsAreMarked,
  idGivenAgainBeforeRowsGo,
  idOfDeletedRowGivenAgainUnheard,
} from './idGivenAgainBeforeRowsGo';
import { duplicatesWrittenLate } from './duplicatesWrittenLate';
import { idOfDeletedRowGivenAgain } from './idOfDeletedRowGivenAgain';
import { idOfPrunedEndGivenAgain } from './idOfPrunedEndGivenAgain';
import { killedBeforeManyRowsGo } from './killedBeforeManyRowsGo';
import {
  lastAttemptIsInDoubt,
  lastAttemptIsNotAllowed,
  lastAttemptIsNotPlaced,
} from './lastAttemptIsNotPlaced';
import { listRefusedForGood, listRefusedHalfWay } from './listRefusedHalfWay';
import { listByTheMinute } from './listByTheMinute';
import { listedAroundOneWhoIsRung } from './listedAroundOneWhoIsRung';
import { listsThatOverlap } from './listsThatOverlap';
import { logMadeByTwoAtOnce } from './logMadeByTwoAtOnce';
import { logRenamedBeforeKill } from './logRenamedBeforeKill';
import { longList } from './longList';
import { loopRetriedTwiceAtOnce } from './loopRetriedTwiceAtOnce';
import { markedByAccidentBefore } from './markedByAccidentBefore';
import { markedWhileItIsCancelled } from './markedWhileItIsCancelled';
import { marksOfTheDeadUnderCap } from './marksOfTheDeadUnderCap';
import {
  confirmedInAttemptScheduledAgain,
  nextAttemptDueWhileScheduledAgain,
  scheduledAgainWhileNextRings,
} from './nextAttemptDueWhileScheduledAgain';
import { nextAttemptRefused } from './nextAttemptRefused';
import { outcomeChangesAfterFirstLook } from './outcomeChangesAfterFirstLook';
import { pausedBeforeEndIsWritten, pausedWhileEndIsWritten } from './pausedPollers';
import { pausedBeforeRequestLeaves, pausedBeforeTurnsCome } from './pausedBeforeRequestLeaves';
import { outcomeWrittenWhileWrittenAhead } from './outcomeWrittenWhileWrittenAhead';
import { phoneCorrectedWhileListIsWritten } from './phoneCorrectedWhileListIsWritten';
import { phoneCorrectedWhileTakenAhead } from './phoneCorrectedWhileTakenAhead';
import { phoneCorrectedWhileWrittenAhead } from './phoneCorrectedWhileWrittenAhead';
import { releaseRefusedAfterLostAnswer } from './releaseRefusedAfterLostAnswer';
import { sameOrderOfThreeAtOnce } from './sameOrderOfThreeAtOnce';
import { scheduledAgainWhileCopyIsLeft } from './scheduledAgainWhileCopyIsLeft';
import { scheduledWhileCopyIsCancelled } from './scheduledWhileCopyIsCancelled';
import { scheduledAgainWhileRetryWaits } from './scheduledAgainWhileRetryWaits';
import { slowServiceOneAtATime } from './slowServiceOneAtATime';
import {
  stoodStillBeforeListIsReleased,
  stoodStillBeforeListIsWrittenAgain,
  stoodStillWhileListIsWritten,
} from './stoodStillWhileListIsWritten';
import { timeByHand } from './timeByHand';
import { polledTwiceAtOnce } from './polledTwiceAtOnce';
import { doubtInRetriedList, retriedWhileItCalls } from './doubtInRetriedList';
import { copyCancelledWhileItsCallRings } from './copyCancelledWhileItsCallRings';
import { duplicateLeftByOddAnswer } from './duplicateLeftByOddAnswer';
import { hoursEndBeforeSecondTry } from './hoursEndBeforeSecondTry';
import { ordersOfOnePerson } from './ordersOfOnePerson';
import { ordersOfOnePersonAwaited } from './ordersOfOnePersonAwaited';
import { outcomeAfterDoubt } from './outcomeAfterDoubt';
import {
  beginningOfHoursIsSkipped,
  capAcrossMidnightInUtc,
  capOfLongDay,
  costsOfDay,
  endOfHoursIsSkipped,
  hoursOfDayBefore,
  timeIsShownTwice,
} from './clocksAndDays';
import { clocksFarApart } from './clocksFarApart';
import { copyOfPlacedRow } from './copyOfPlacedRow';
import { placeOfGivenBackCall } from './placeOfGivenBackCall';
import { capOfTwoProcesses } from './capOfTwoProcesses';
import { capInFullLog } from './capInFullLog';
import { cancelledWhileEndIsOnItsWay } from './cancelledWhileEndIsOnItsWay';
import {
  cancelledWhileRequestIsRefused,
  cancelledWhileRequestIsRefusedWithPlan,
} from './cancelledWhileRequestIsRefused';
import { movedWhilePutBack } from './movedWhilePutBack';
import { movedWhileTheirPersonRings } from './movedWhileTheirPersonRings';
import { refusedWhileItIsMarked } from './refusedWhileItIsMarked';
import { rightsRefusedWhileRowsAreWritten } from './rightsRefusedWhileRowsAreWritten';
import {
  longListScheduledAtOnce,
  sameListCalledAtOnce,
  sameListScheduledAtOnce,
} from './sameOrdersAtOnce';
import {
  cancelledBetweenMarkAndReading,
  cancelledByHandAfterCanceller,
  cancelledByHandWhileTriggerMends,
  cancelledByHandBetweenMarkAndReading,
} from './cancelledBetweenMarkAndReading';
import { correctedBeforeTheNextAttempt } from './correctedBeforeTheNextAttempt';
import { renewalUnconfirmed } from './renewalUnconfirmed';
import { resultUnwrittenWhileOthersAreNotPlaced } from './resultUnwrittenWhileOthersAreNotPlaced';
import { retriedInTwoProcesses } from './retriedInTwoProcesses';
import { retriedThriceAtOnce } from './retriedThriceAtOnce';
import { retriedUnsaved } from './retriedUnsaved';
import {
  retriedTwiceAfterKill,
  retriedTwiceAfterLostAnswer,
  retriedTwiceWhileRequestIsSlow,
  scheduledAgainAfterDoubt,
} from './retriedTwiceAfterDoubt';
import {
  calledByThreeRetriesUnderCap,
  calledByTwoRetriesAtOnce,
  calledByTwoRetriesOneAfterTheOther,
  manyCallsBeforeTablesAreFull,
  overtakenByOtherRetry,
  scheduledByThirdRetry,
  scheduledByTwoRetriesAtOnce,
  takenOverBeforeItIsDue,
} from './retriedTwiceAtOnce';
import { stoodStillWhileRulesAreAsked } from './stoodStillWhileRulesAreAsked';
import { waitsForTurnWhileN8nIsLate } from './waitsForTurnWhileN8nIsLate';
import { writtenOverWhilePlaced } from './writtenOverWhilePlaced';

/** Histories in which a law was broken once, or is when it is switched off, by name. */
export const HISTORIES = {
  agentWritesOtherwiseAtOnce,
  markedByAccidentBefore,
  beginningOfHoursIsSkipped,
  capAcrossMidnightInUtc,
  capOfLongDay,
  costsOfDay,
  endOfHoursIsSkipped,
  hoursOfDayBefore,
  timeIsShownTwice,
  calledInSecondTry,
  calledWhenAgentAsksAgain,
  calledWhenAgentAsksAgainWithNewKey,
  calledWithNewKeyWhileTablesFail,
  polledTwiceAtOnce,
  hoursEndBeforeSecondTry,
  ordersOfOnePerson,
  ordersOfOnePersonAwaited,
  outcomeAfterDoubt,
  capInFullLog,
  capOfTwoProcesses,
  clocksFarApart,
  retriedInTwoProcesses,
  retriedUnsaved,
  copyOfPlacedRow,
  placeOfGivenBackCall,

  askedAgainWhileClockIsSetBack,
  batchEmptiedWhileDeadAreEnded,
  calledAgainAfterKill,
  cancelledBeforeAgentRepeats,
  cancelledBeforeItIsKnownToRing,
  cancelledBeforeListIsTriedAgain,
  cancelledBeforeNextTry,
  cancelledBeforeRetry,
  cancelledBetweenMarkAndReading,
  cancelledByHandAfterCanceller,
  cancelledByHandWhileTriggerMends,
  cancelledByHandBetweenMarkAndReading,
  cancelledByHandWhileAnotherIsMended,
  cancelledByHandWhileHeld,
  cancelledByHandWhileItRings,
  cancelledJustBeforeItIsPlaced,
  cancelledWhileEndIsOnItsWay,
  cancelledWhileEndIsWritten,
  cancelledWhileItIsSent,
  cancelledWhileItsTurnIsFar,
  cancelledWhileListIsWritten,
  cancelledWhileListIsWrittenTwice,
  cancelledWhileProcessStandsStill,
  cancelledWhileOtherRetryHasItsTurn,
  cancelledWhilePutBack,
  doubtInRetriedList,
  duplicateLeftByOddAnswer,
  copyCancelledWhileItsCallRings,
  duplicatesWrittenLate,
  endSeenInSlowAnswer,
  endsSeenOutOfOrder,
  idGivenAgainBeforeRowsAreMarked,
  idGivenAgainBeforeRowsGo,
  idOfDeletedRowGivenAgain,
  idOfDeletedRowGivenAgainUnheard,
  idOfPrunedEndGivenAgain,
  killedBeforeManyRowsGo,
  lastAttemptIsInDoubt,
  lastAttemptIsNotAllowed,
  lastAttemptIsNotPlaced,
  listRefusedForGood,
  listRefusedHalfWay,
  listByTheMinute,
  listedAroundOneWhoIsRung,
  listsThatOverlap,
  logMadeByTwoAtOnce,
  longList,
  loopRetriedTwiceAtOnce,
  movedWhilePutBack,
  movedWhileTheirPersonRings,
  marksOfTheDeadUnderCap,
  confirmedInAttemptScheduledAgain,
  correctedBeforeTheNextAttempt,
  nextAttemptDueWhileScheduledAgain,
  scheduledAgainWhileNextRings,
  nextAttemptRefused,
  outcomeChangesAfterFirstLook,
  pausedBeforeEndIsWritten,
  pausedBeforeRequestLeaves,
  pausedBeforeTurnsCome,
  pausedWhileEndIsWritten,
  refusedWhileItIsMarked,
  rightsRefusedWhileRowsAreWritten,
  sameListCalledAtOnce,
  sameListScheduledAtOnce,
  longListScheduledAtOnce,
  stoodStillWhileRulesAreAsked,
  cancelledWhileRequestIsRefused,
  cancelledWhileRequestIsRefusedWithPlan,
  calledByThreeRetriesUnderCap,
  calledByTwoRetriesAtOnce,
  calledByTwoRetriesOneAfterTheOther,
  manyCallsBeforeTablesAreFull,
  overtakenByOtherRetry,
  scheduledByThirdRetry,
  scheduledByTwoRetriesAtOnce,
  takenOverBeforeItIsDue,
  retriedWhileItCalls,
  retriedTwiceAfterKill,
  retriedTwiceAfterLostAnswer,
  retriedTwiceWhileRequestIsSlow,
  scheduledAgainAfterDoubt,

  hoursEndWhileDuplicatesAreAsked,
  hoursEndWhileRowsAreMarked,
  logRenamedBeforeKill,
  markedWhileItIsCancelled,
  outcomeWrittenWhileWrittenAhead,
  phoneCorrectedWhileListIsWritten,
  phoneCorrectedWhileTakenAhead,
  phoneCorrectedWhileWrittenAhead,
  releaseRefusedAfterLostAnswer,
  renewalUnconfirmed,
  resultUnwrittenWhileOthersAreNotPlaced,
  retriedThriceAtOnce,
  sameOrderOfThreeAtOnce,
  scheduledAgainWhileCopyIsLeft,
  scheduledAgainWhileRetryWaits,
  scheduledWhileCopyIsCancelled,
  slowServiceOneAtATime,
  stoodStillBeforeListIsReleased,
  stoodStillBeforeListIsWrittenAgain,
  stoodStillWhileListIsWritten,
  timeByHand,
  waitsForTurnWhileN8nIsLate,
  writtenOverWhilePlaced,
} satisfies Record<string, History>;
