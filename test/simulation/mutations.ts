import type { HISTORIES } from './histories/histories';
import type { LawName } from './laws';
import type { Mutation } from './world/package';

/** A law of the product that is switched off, and the law of the simulation that has to notice. */
export interface SwitchedOff extends Mutation {
  /** Which of the log's ten laws it is; undefined of what other promises hold. */
  law?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
  breaks: LawName;
  /** What finds it: a history by name, or drawn ones, from a number on from which it is found soon. */
  by: { history: keyof typeof HISTORIES } | { seed: number };
}

/** Each switches off one law of the product in one place; histories have to find it. */
export const MUTATIONS = {
  'an end counts less than the row that it replaces': {
    law: 1,
    file: 'callLog/states.ts',
    from: 'return meaningOf(row).weights[hasEnded(row) ? 1 : 0];',
    to: 'return hasEnded(row) ? 0 : meaningOf(row).weights[0];',
    breaks: 'lastWordOfCalled',
    by: { history: 'cancelledWhileEndIsWritten' },
  },
  'what a process inserts that was paused counts': {
    law: 2,
    file: 'callLog/states.ts',
    from: 'return hasEnded(row) && counts(row, attempts) && attemptCounts(row, attempts);',
    to: 'return hasEnded(row) && attemptCounts(row, attempts);',
    breaks: 'everyOutcomeOnce',
    by: { history: 'pausedWhileEndIsWritten' },
  },
  'whoever writes an end announces an attempt and does not write it': {
    law: 3,
    file: 'callLog/ends/ends.ts',
    from: 'follows ? [nextAttemptRow(end, Date.parse(planned))] : []',
    to: '[]',
    breaks: 'lastWordOfCalled',
    by: { history: 'nextAttemptRefused' },
  },
  'rows with lower ids are expected to be seen first': {
    law: 4,
    file: 'callLog/table/visibility.ts',
    from: 'VISIBLE_WITHIN_MS = 15_000',
    to: 'VISIBLE_WITHIN_MS = 0',
    breaks: 'everyOutcomeOnce',
    by: { history: 'endsSeenOutOfOrder' },
  },
  'calls are placed whatever the change to their rows has found': {
    law: 5,
    file: 'callLog/placing/placingRows.ts',
    from: `const row = rows.get(positionOf(call));`,
    to: `const row = rows.get(positionOf(call)) ?? { ...call.row, lockedBy: lock.lockedBy };`,
    breaks: 'nobodyAfterCancel',
    by: { history: 'cancelledJustBeforeItIsPlaced' },
  },
  'a call is placed whatever copies of its row say': {
    file: 'callLog/placing/placingRows.ts',
    from: 'return this.mayBeTwice ? await this.withoutCancelled(found) : found;',
    to: 'return found;',
    breaks: 'nobodyAfterCancel',
    by: { history: 'cancelledWhileListIsWrittenTwice' },
  },
  'a further try does not ask whose calls were cancelled': {
    file: 'actions/call/callsOfTries.ts',
    from: "if (state === 'cancelled') return { reason: 'cancelled' };",
    to: "if (state === 'cancelled') return undefined;",
    breaks: 'nobodyAfterCancel',
    by: { history: 'cancelledBeforeNextTry' },
  },
  'a list that was written too slowly becomes due': {
    file: 'callLog/scheduling/scheduling.ts',
    from: "    if (this.isLate) throw new DataTableError('refused', STOOD_STILL, SCHEDULE_AGAIN);\n",
    to: '',
    breaks: 'scheduledMeansScheduled',
    by: { history: 'stoodStillBeforeListIsWrittenAgain' },
  },
  'a further try does not ask whom another one is calling': {
    file: 'actions/call/callsOfTries.ts',
    from: "return state === 'notPlaced'",
    to: "return state !== 'open' && state !== 'ended'",
    breaks: 'nobodyTwice',
    by: { history: 'retriedTwiceAfterKill' },
  },
  'of two tries at once each places its calls': {
    file: 'actions/call/callsOfTries.ts',
    from: 'if (isTool(context) || !memory.isRetry) return;',
    to: 'if (isTool(context) || memory.isRetry) return;',
    breaks: 'nobodyTwice',
    by: { history: 'calledByTwoRetriesAtOnce' },
  },
  'attempts that follow a call that goes on are not cancelled': {
    law: 6,
    file: 'callLog/ends/preventNext.ts',
    from: 'const stopped = followed.filter((row) => !there.has(keyOfNext(row)));',
    to: 'const stopped = followed.filter((row) => there.has(keyOfNext(row)));',
    breaks: 'nobodyAfterCancel',
    by: { history: 'cancelledWhileEndIsWritten' },
  },
  'a row that a person has edited is called as it was read': {
    law: 7,
    file: 'callLog/placing/placingRows.ts',
    from: 'const isAsAsked = asksTheSame(row, call.row);',
    to: 'const isAsAsked = asksTheSame(call.row, call.row);',
    breaks: 'writtenPhoneRings',
    by: { history: 'phoneCorrectedWhileWrittenAhead' },
  },
  'a list is due while it is written': {
    law: 8,
    file: 'callLog/table/rowColumns.ts',
    from: 'return { ...row, ...aheadLock(batch, lockedBy) };',
    to: 'return lockedBy === undefined ? {} : row;',
    breaks: 'nobodyMeansNobody',
    by: { history: 'listRefusedForGood' },
  },
  'a list is written row by row': {
    law: 9,
    file: 'callLog/table/accountRows.ts',
    from: 'ROWS_A_REQUEST = 1_000',
    to: 'ROWS_A_REQUEST = 1',
    breaks: 'listsInOneGo',
    by: { history: 'longList' },
  },
  'all triggers share a cursor': {
    law: 10,
    file: 'callLog/ends/cursors.ts',
    from: 'this.rows.find(({ trigger }) => trigger === this.reader.trigger)',
    to: 'this.rows.find(({ trigger }) => trigger !== undefined)',
    breaks: 'everyOutcomeOnce',
    by: { history: 'pausedBeforeEndIsWritten' },
  },
  'rows are deleted by their ids, whosever they are': {
    file: 'callLog/callLog.ts',
    from: 'marked.filter((row) => !isSame(row, read.get(row.id) ?? row))',
    to: 'marked.filter(() => false)',
    breaks: 'nobodyForgotten',
    by: { history: 'idOfDeletedRowGivenAgain' },
  },
  'an outcome stays passed over when the attempt after it is not placed': {
    file: 'trigger/whatFires.ts',
    from: 'return finalOnly && lastOutcome ?',
    to: 'return lastOutcome === null ?',
    breaks: 'lastWordOfAll',
    by: { history: 'lastAttemptIsNotPlaced' },
  },
  'calling hours are not asked': {
    file: 'rules/callingHours.ts',
    from: 'objection: async () => ask()',
    to: 'objection: async () => undefined',
    breaks: 'nobodyAgainstRules',
    by: { seed: 1 },
  },
  'a trigger request is sent again whatever became of it': {
    file: 'http/retry.ts',
    from: 'return repeat.idempotent && (',
    to: 'return (',
    breaks: 'nobodyTwice',
    by: { seed: 10 },
  },
  'the do-not-call list is not asked': {
    file: 'rules/doNotCall.ts',
    from: 'isListed ||= (await lists.reasonFor(setting, request.customerPhone)) !== undefined;',
    to: 'isListed ||= lists === undefined;',
    breaks: 'nobodyAgainstRules',
    by: { seed: 45 },
  },
  'the place of a call that was given back stays free when another process takes it': {
    file: 'rules/admission.ts',
    from: 'markedBy !== undefined && givenBack.get(key) === markedBy;',
    to: 'markedBy === markedBy && givenBack.has(key);',
    breaks: 'nobodyAgainstRules',
    by: { history: 'placeOfGivenBackCall' },
  },
  'calls that are written into old rows of a full log do not count': {
    file: 'rules/admission.ts',
    from: 'const isRewritten = lock.rewrittenAt !== this.rewrittenAt;',
    to: 'const isRewritten = false as boolean;',
    breaks: 'nobodyAgainstRules',
    by: { history: 'capInFullLog' },
  },
  'a row that a person has moved is put back': {
    file: 'callLog/placing/placingRows.ts',
    from: "how.kind === 'later' ? await this.withoutMoved(calls) : calls;",
    to: 'calls;',
    breaks: 'writtenTimeCounts',
    by: { history: 'movedWhilePutBack' },
  },
  'an attempt follows that a person has prevented while the call went on': {
    file: 'callLog/ends/ends.ts',
    from: 'isMade && !saysCancelled(row) ? nextAttemptOf(end) : null;',
    to: 'isMade ? nextAttemptOf(end) : null;',
    breaks: 'cancelledByHandIsCancelled',
    by: { history: 'cancelledByHandWhileHeld' },
  },
  'a list that others have given up meanwhile counts as scheduled': {
    file: 'callLog/scheduling/scheduling.ts',
    from: 'return Date.now() > this.lockedUntil - CLOCKS_DIFFER_MS;',
    to: 'return this.lockedUntil < CLOCKS_DIFFER_MS;',
    breaks: 'scheduledMeansScheduled',
    by: { history: 'stoodStillBeforeListIsReleased' },
  },
  'a further try does not ask whom another process has called': {
    file: 'actions/call/callsOfTries.ts',
    from: "return state === 'notPlaced'",
    to: "return state !== 'placing' && state !== 'maybePlaced'",
    breaks: 'nobodyTwice',
    by: { history: 'retriedInTwoProcesses' },
  },
  'the marks of calls that wait for their turn are not renewed': {
    file: 'callLog/placing/rowToPlace.ts',
    from: '    await this.rows.renewMarks();\n',
    to: '',
    breaks: 'nothingFailsByItself',
    by: { history: 'slowServiceOneAtATime' },
  },
  'a list waits no longer for the calls of another one than it needs to mark them': {
    file: 'rules/loggedDuplicates.ts',
    from: 'const PATIENCE_MS = 100_000;',
    to: 'const PATIENCE_MS = 15_000;',
    breaks: 'nothingFailsByItself',
    by: { history: 'listsThatOverlap' },
  },
  'the hours are not asked after the lock was renewed': {
    file: 'actions/call/askingRules.ts',
    from: `  // Writing the row took time: the hours may have ended, or another item may have failed.
  await rules.ask();
`,
    to: '',
    breaks: 'nobodyAgainstRules',
    by: { history: 'hoursEndBeforeSecondTry' },
  },
  'an end that another poll has taken meanwhile is taken again': {
    file: 'trigger/watch/callLogWatch.ts',
    from: 'const untaken = rows.filter(({ id }) => this.handOvers.isNew(id));',
    to: 'const untaken = rows;',
    breaks: 'everyOutcomeOnce',
    by: { history: 'polledTwiceAtOnce' },
  },
  'the outcome of a call counts as handed over when its doubt was': {
    file: 'trigger/watch/callLogWatch.ts',
    from: "return `${callKey(row)} ${orderId}${outcomeOfEnd(row) === undefined ? ' without outcome' : ''}`;",
    to: 'return orderId === 0 ? "" : callKey(row);',
    breaks: 'lastWordOfCalled',
    by: { history: 'outcomeAfterDoubt' },
  },
  'an attempt does not wait for the one before that was scheduled again': {
    file: 'callLog/placing/dueRows.ts',
    from: 'return isHeldBack(-1) || isHeldBack(1);',
    to: 'return false;',
    breaks: 'nobodyTwice',
    by: { history: 'nextAttemptDueWhileScheduledAgain' },
  },
  'a log that was made meanwhile is taken for one whose name was mistyped': {
    file: 'callLog/table/logTable.ts',
    from: 'if (meant.name === tableNameIn(locator)) return',
    to: 'if (meant.id === "") return',
    breaks: 'nothingFailsByItself',
    by: { history: 'logMadeByTwoAtOnce' },
  },
} satisfies Record<string, SwitchedOff>;
