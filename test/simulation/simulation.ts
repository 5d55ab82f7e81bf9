import type { TableColumn } from '../dataTables/dataTablesOfN8n';
import type { Books } from './books';
import { calmDown } from './calmDown';
import { Executions } from './executions/executions';
import { accountsIn, aHistory, TEST_PHONE, type History, type Step } from './history';
import { DO_NOT_CALL, waitsToBePlaced } from './logRows';
import { People } from './people';
import { Publications } from './publications';
import { Stage } from './stage';
import type { PackageText } from './world/package';

const MINUTE_MS = 60_000;
/** So long triggers are alone before the first step. */
const ALONE_MS = 2_000;
/** So long a history may go on after its last step before the world calms down. */
const MAY_GO_ON_MS = 20 * MINUTE_MS;

/** The columns of the log as a package makes them. */
const columnsOfLog = new WeakMap<PackageText, TableColumn[]>();

async function logColumns(text: PackageText): Promise<TableColumn[]> {
  const known = columnsOfLog.get(text);
  if (known !== undefined) return known;
  const stage = new Stage(text, aHistory({}), false);
  const executions = new Executions(stage);
  executions.begin(-1, { do: 'schedule', process: 0, orders: { from: 0, to: 0 } });
  await stage.world.runUntil(() => executions.areOver);
  const columns = stage.servers.tables.tables[0]?.columns ?? [];
  columnsOfLog.set(text, columns);
  return columns;
}

/**
 * Runs a history from its beginning to its end, and gives the books about it.
 *
 * @param tells whether the books tell a story, which takes room when millions of things happen
 */
export async function runHistory(
  text: PackageText,
  history: History,
  tells = true,
): Promise<Books> {
  const columns = await logColumns(text);
  const stage = new Stage(text, history, tells);
  stage.createTables(columns);
  return await new Simulation(stage).run();
}

/** The course of one history: its steps, and what n8n does by itself meanwhile. */
class Simulation {
  private readonly executions: Executions;
  private readonly publications: Publications;
  private readonly people: People;
  private stepsLeft: number;

  constructor(private readonly stage: Stage) {
    this.executions = new Executions(stage);
    this.publications = new Publications(stage);
    this.people = new People(stage);
    this.stepsLeft = stage.history.steps.length;
  }

  async run(): Promise<Books> {
    const { stage, executions, publications } = this;
    const { world, processes } = stage;
    const startedAt = world.now;
    publications.begin();
    await world.runTo(startedAt + ALONE_MS);
    const last = this.plan();
    await world.runTo(world.now + last + 1);
    await world.runUntil(() => this.isQuiet(), world.now + MAY_GO_ON_MS);
    const calmAt = world.now;
    await calmDown({ stage, executions, publications });
    processes.giveBack();
    return { startedAt, endedAt: world.now, calmAt, ...this.books() };
  }

  /** Plans all steps. Returns how long it is until the last one whose time is known. */
  private plan(): number {
    const { world, network, history } = this.stage;
    const { minutes = 0 } = history;
    let last = minutes * MINUTE_MS;
    history.steps.forEach((step, index) => {
      const act = () => this.take(step, index);
      if ('at' in step.when) {
        last = Math.max(last, step.when.at);
        world.after(step.when.at, act);
      } else {
        const { on, afterMs = 0 } = step.when;
        network.on(on, () => world.after(afterMs, act));
      }
    });
    for (let minute = 1; minute <= minutes; minute++) {
      world.after(minute * MINUTE_MS, () => this.passMinute());
    }
    return last;
  }

  /** What n8n does every minute by itself. */
  private passMinute(): void {
    const { stage, executions, publications } = this;
    publications.pollAll();
    if (!stage.log.rows().some(waitsToBePlaced)) return;
    for (const account of accountsIn(stage.history)) {
      executions.begin(-1, { do: 'place', process: 0, keepOnSeconds: 50, ...account });
    }
  }

  private isQuiet(): boolean {
    return this.executions.areOver && this.stepsLeft === 0 && this.publications.areIdle;
  }

  private take(step: Step, index: number): void {
    this.stepsLeft--;
    const { executions, publications, people } = this;
    const { processes, servers, credential } = this.stage;
    switch (step.do) {
      case 'schedule':
      case 'call':
      case 'callAndWait':
      case 'place':
      case 'try':
      case 'cancel':
      case 'prune':
      case 'pruneByAge':
        return executions.begin(index, step);
      case 'retry':
        return executions.retry(index, step);
      case 'cancelExecution':
        return executions.cancel(step);
      case 'poll':
        return publications.pollIn(step.process);
      case 'unpublish':
        return publications.unpublish(step);
      case 'kill':
        return processes.kill(step.process);
      case 'pause':
        return processes.pause(step);
      case 'setClock':
        return processes.setClock(step);
      case 'tablesFull':
        return servers.fillTables(step);
      case 'tablesFail':
        return servers.failTables(step);
      case 'tablesSlow':
        return servers.slowTables(step);
      case 'serviceFails':
        return servers.failService(step);
      case 'outcomeChanges':
        return servers.changeOutcome(step);
      case 'exchangeKey':
        return credential.exchange();
      case 'doNotCall':
        return people.forbid(step);
      case 'edit':
        return void people.edit(step);
      case 'editDueAt':
        return people.move(step);
      case 'cancelByHand':
        return people.cancel(step);
      case 'scheduleByHand':
        return people.scheduleAgain(step);
      case 'copyRow':
        return people.copyRow(step);
      case 'deleteRows':
        return people.deleteRows(step);
      case 'emptyLog':
        return people.emptyLog();
      case 'renameLog':
        return people.renameLog(step);
    }
  }

  private books(): Omit<Books, 'startedAt' | 'endedAt' | 'calmAt'> {
    const { stage, executions, publications, people } = this;
    const { log, servers, processes, network, teller } = stage;
    return {
      rings: servers.service.rings.filter(({ phone }) => phone !== TEST_PHONE),
      executions: executions.books.filter(({ deed }) => deed !== 'try'),
      trials: executions.books.filter(({ deed }) => deed === 'try'),
      rows: log.rows().filter(({ phone }) => phone !== TEST_PHONE),
      listed: servers.tables.rowsOf(DO_NOT_CALL).map(({ phone }) => String(phone)),
      ...people.books,
      ...publications.books,
      requests: network.sent,
      processes: processes.books,
      warnings: teller.warnings,
      story: teller.story,
    };
  }
}
