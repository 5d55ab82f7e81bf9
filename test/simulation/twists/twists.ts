import type { History } from '../history';
import { Random } from '../world/random';
import * as people from './people';
import * as servers from './servers';
import * as times from './times';
import * as triggers from './triggers';
import * as workflows from './workflows';
import type { Twist } from './twist';

/** The first of their streams of random numbers: each has one of its own. */
const FIRST_STREAM = 100;

/** A new one goes to the end. Each draws by itself, so that other draws stay as they were. */
const TWISTS: Twist[] = [
  servers.serviceFails,
  servers.tablesSlow,
  times.callLater,
  people.trials,
  people.samePeople,
  times.clocks,
  times.days,
  people.pressedTwice,
  triggers.onInstance,
  workflows.withoutLog,
  workflows.notCalledOutput,
  workflows.noNumbers,
  workflows.costs,
  triggers.twoAccounts,
  workflows.otherRules,
  workflows.agents,
  workflows.loops,
  people.emptied,
  triggers.lateTriggers,
  servers.inSteps,
  times.customersHours,
  people.inBulk,
  people.brokenCells,
  people.waitedFor,
  servers.slowService,
  times.turns,
  people.renamed,
  servers.refusals,
  people.retriedUnsaved,
  people.endedByHand,
  people.outcomeByHand,
  workflows.rebuilt,
  times.daysAway,
  people.overMarks,
  people.correctedOutcomes,
];

/** The history with those of them that its number draws. */
export function twisted(history: History): History {
  return TWISTS.reduce((before, { chance, give }, index) => {
    const random = new Random(history.seed, FIRST_STREAM + index);
    return random.chance(chance) ? give(before, random) : before;
  }, history);
}
