import type { IExecuteFunctions } from 'n8n-workflow';
import pLimit from 'p-limit';
import { personOf } from '../../contacts/person';
import { tellHint } from '../../hints';
import { groupBy } from '../../collections';
import { identityOf, type Placement } from './askedCall';

/** Calls to people who get more than one: each has several orders. Test calls all ring the builder's phone. */
function severalToOne(placements: Placement[]): Placement[][] {
  const calls = placements.filter(
    ({ objection, hasFailed, isTestCall }) =>
      objection === undefined && hasFailed !== true && !isTestCall,
  );
  const toOne = groupBy(calls, ({ request }) => personOf(request.customerPhone));
  return [...toOne.values()].filter(({ length }) => length > 1);
}

/** Whether somebody waits for the end of a call to a person, so that the next one can come after it. */
const isWaitedFor = (calls: Placement[]): boolean => calls.some(({ waitMs }) => waitMs > 0);

/** Lets the calls to one person come one after the other, as far as the execution waits for their ends. */
export function takeTurns(placements: Placement[]): void {
  for (const calls of severalToOne(placements).filter(isWaitedFor)) {
    const inTurn = pLimit(1);
    for (const [index, call] of calls.entries()) {
      call.inTurn = inTurn;
      if (call.row !== undefined) call.row.waitsForAnother = index > 0;
    }
  }
}

/** Decides dry runs of one call in turn: all but the first that would be placed are duplicates. */
export function tryInTurn(dryRuns: Placement[]): void {
  const byCall = groupBy(dryRuns, (one) => JSON.stringify(identityOf('call', one).subject));
  for (const same of byCall.values()) {
    if (same.length === 1) continue;
    const repeated = { inTurn: pLimit(1), sameCall: { wouldBePlaced: false } };
    for (const one of same) Object.assign(one, repeated);
  }
}

const peopleIn = ({ length }: Placement[][]): string =>
  length === 1 ? '1 person' : `${length} people`;

/** Tells of people whose telephone rings for several orders at once, because nobody waits for the end of a call. */
export function tellSeveralAtOnce(context: IExecuteFunctions, placements: Placement[]): void {
  for (const isDryRun of [false, true]) {
    const some = severalToOne(placements.filter((call) => call.isDryRun === isDryRun));
    const atOnce = some.filter((calls) => !isWaitedFor(calls));
    if (atOnce.length > 0) {
      const message = `${peopleIn(atOnce)} ${isDryRun ? 'would get' : 'got'} several calls at once: this node does not wait for the end of a call. Call Customer and Wait calls a person about one order after the other. So does Place Scheduled Calls, after Schedule Call.`;
      tellHint(context, message, 'warning');
    }
    // The last call of a person keeps nobody waiting.
    const tooLong = some.filter((calls) => calls.slice(0, -1).some(({ outlasts }) => outlasts));
    if (tooLong.length > 0) {
      const message = `${peopleIn(tooLong)} got a call while another one lasted: it took longer than Max Wait (Minutes). Set a longer time, up to a week.`;
      tellHint(context, message, 'warning');
    }
  }
}
