import type { History } from '../history';
import { cancelledJustBeforeItIsPlaced } from './cancelledJustBeforeItIsPlaced';
import { cancelledWhileEndIsWritten } from './cancelledWhileEndIsWritten';
import { cancelledWhileListIsWritten } from './cancelledWhileListIsWritten';
import { cancelledWhilePutBack } from './cancelledWhilePutBack';
import { listRefusedHalfWay } from './listRefusedHalfWay';
import { marksOfTheDeadUnderCap } from './marksOfTheDeadUnderCap';
import { nextAttemptRefused } from './nextAttemptRefused';
import { outcomeChangesAfterFirstLook } from './outcomeChangesAfterFirstLook';
import { pausedBeforeEndIsWritten } from './pausedBeforeEndIsWritten';
import { pausedWhileEndIsWritten } from './pausedWhileEndIsWritten';
import { phoneCorrectedWhileTakenAhead } from './phoneCorrectedWhileTakenAhead';
import { timeByHand } from './timeByHand';

/** Histories in which a law was broken once, by name. */
export const HISTORIES = {
  cancelledJustBeforeItIsPlaced,
  cancelledWhileEndIsWritten,
  cancelledWhileListIsWritten,
  cancelledWhilePutBack,
  listRefusedHalfWay,
  marksOfTheDeadUnderCap,
  nextAttemptRefused,
  outcomeChangesAfterFirstLook,
  pausedBeforeEndIsWritten,
  pausedWhileEndIsWritten,
  phoneCorrectedWhileTakenAhead,
  timeByHand,
} satisfies Record<string, History>;
