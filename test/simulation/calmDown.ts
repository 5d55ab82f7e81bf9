import type { Executions } from './executions/executions';
import { accountsIn } from './history';
import { goesOn, waitsToBePlaced } from './logRows';
import type { Publications } from './publications';
import type { Stage } from './stage';

const MINUTE_MS = 60_000;
/** Rounds in which everything that is left to do gets done. */
const MOST_ROUNDS = 4_000;
/** After so many rounds in which nothing changed, what is left hangs. */
const IDLE_ROUNDS = 12;
const LONGEST_JUMP_MS = 3 * 60 * MINUTE_MS;
/** Longer than any window in which something might be handed over twice. */
const SHORTEST_JUMP_MS = 3 * MINUTE_MS;
const LONGEST_ROUND_MS = 10 * MINUTE_MS;

/** What goes on in a history. */
interface GoingOn {
  stage: Stage;
  executions: Executions;
  publications: Publications;
}

/** Nothing befalls anybody any more, and n8n does what is left to do. */
export async function calmDown(goingOn: GoingOn): Promise<void> {
  const { stage, publications } = goingOn;
  const { world, history, log, servers, credential, processes } = stage;
  stage.calm();
  const hasTwo = history.steps.some((step) => step.do === 'exchangeKey');
  // A trigger on its instance looks at old calls four times an hour, whatever the log knows by then.
  const isUnlogged = history.triggers.some(({ watch }) => watch === 'instance');
  const quietRounds = 2 + Number(hasTwo) + 2 * Number(isUnlogged);
  let before = '';
  let stoodBefore = '';
  let idle = 0;
  let jumpMs = SHORTEST_JUMP_MS;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await placeWhatWaits(goingOn);
    await lookAtCalls(goingOn);
    const open = log.rows().filter((row) => goesOn(row) || !row.hasEnded);
    const fired = publications.books.fired.length;
    const state = JSON.stringify([open, fired, servers.service.rings.length]);
    // What was done with one account goes on with that account only.
    if (hasTwo) credential.exchange();
    // A trigger that is published again polls after that, with each. The round of publishing itself is short.
    idle = state === before && !publications.isAwaited ? idle + 1 : 0;
    const isOver = idle >= (open.length === 0 ? quietRounds : IDLE_ROUNDS);
    if (isOver && !publications.isAwaited) return;
    // A call that waits for another is due again a minute later, as often as it is asked.
    const stands = JSON.stringify([open.map((row) => ({ ...row, dueAt: undefined })), fired]);
    jumpMs = stands === stoodBefore ? Math.min(jumpMs * 2, LONGEST_JUMP_MS) : SHORTEST_JUMP_MS;
    before = state;
    stoodBefore = stands;
    // What has become due meanwhile, by the clock of whoever places it, is placed first.
    const due = open.filter(waitsToBePlaced).flatMap(({ dueAt }) => dueAt ?? []);
    const firstDue = due.length > 0 ? Math.min(...due) - processes.at(0).aheadMs + 1 : 0;
    await world.runTo(Math.max(world.now + jumpMs, firstDue));
  }
}

/** As a schedule does. Where no trigger is published it is also this that looks at calls. */
async function placeWhatWaits(goingOn: GoingOn): Promise<void> {
  const { stage, executions, publications } = goingOn;
  const accounts = accountsIn(stage.history);
  const isWatched = accounts.every(({ key }) => publications.watchLogOf(key));
  if (!stage.log.rows().some(isWatched ? waitsToBePlaced : goesOn)) return;
  for (const account of accounts) {
    executions.begin(-1, { do: 'place', process: 0, keepOnSeconds: 0, ...account });
    await untilIdle(goingOn);
  }
}

/** To look while phones ring shows nothing that it has not shown before. */
async function lookAtCalls(goingOn: GoingOn): Promise<void> {
  const { world, servers } = goingOn.stage;
  const { rings } = servers.service;
  await world.runTo(rings.reduce((last, { endsAt }) => Math.max(last, endsAt + 1), world.now));
  goingOn.publications.pollAll();
  await untilIdle(goingOn);
}

async function untilIdle({ stage: { world }, executions, publications }: GoingOn): Promise<void> {
  const isIdle = () => executions.areOver && publications.areIdle;
  await world.runUntil(isIdle, world.now + LONGEST_ROUND_MS);
}
