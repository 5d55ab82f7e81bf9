import type {
  IDataObject,
  IExecuteFunctions,
  INode,
  INodeExecutionData,
  IPollFunctions,
} from 'n8n-workflow';
import type { Condition } from '../dataTables/condition';
import { DataTablesOfN8n, type Cell, type TableColumn } from '../dataTables/dataTablesOfN8n';
import type { BookedExecution, Books, Fired, StoryLine } from './books';
import {
  aHistory,
  listOf,
  numberOf,
  otherNumberOf,
  phoneIn,
  phoneOf,
  TEST_PHONE,
  WEEK,
  type Asks,
  type Deed,
  type History,
  type Orders,
  type Step,
  type Trial,
  type TriggerOfHistory,
} from './history';
import { DO_NOT_CALL, goesOn, LOG, logRows, waitsToBePlaced, type LogRow } from './logRows';
import { Database } from './n8n/database';
import { executeContext } from './n8n/executeContext';
import { pollContext } from './n8n/pollContext';
import { AbortControllerOfWorld } from './world/abortSignals';
import { firstAt } from './world/calendar';
import { Network, statusAnswer, type ServerAnswer, type WorldRequest } from './world/network';
import type { PackageText } from './world/package';
import { N8nProcess } from './world/process';
import { API_KEYS, WorldService } from './world/service';
import { World } from './world/world';

const MINUTE_MS = 60_000;
/** n8n is back so long after it was killed. */
const DOWN_MS = 4_000;
/** So long a history may go on after its last step before the world calms down. */
const MAY_GO_ON_MS = 20 * MINUTE_MS;
/** Rounds in which everything that is left to do gets done. */
const MOST_ROUNDS = 4_000;
/** After so many rounds in which nothing changed, what is left hangs. */
const IDLE_ROUNDS = 12;
const LONGEST_JUMP_MS = 3 * 60 * MINUTE_MS;
/** Longer than any window in which something might be handed over twice. */
const SHORTEST_JUMP_MS = 3 * MINUTE_MS;
const LONGEST_ROUND_MS = 10 * MINUTE_MS;
/** More than any history needs, and an order in a large one. */
const MOST_HAPPENINGS = 3_000_000;
const MOST_HAPPENINGS_AN_ORDER = 300;
/**
 * A node reads a row, and the answer is on its way, then the change that puts the call back. n8n's API compares
 * no times of day, so a time that a person writes in between is overwritten, at once.
 */
const WAYS_TO_OVERWRITE = 2;
/** The cells of rows that wait, by which a person finds them. */
const WAITING = { status: 'scheduled' };
/** More calls at once than any history has. */
const MANY = 1_000;

/** The credential with each key. */
const CREDENTIALS = API_KEYS.map((apiKey) =>
  Object.freeze({
    baseUrl: 'http://127.0.0.1:9000',
    apiKey,
    n8nApiKey: 'n8n-key',
    n8nApiUrl: 'http://127.0.0.1:5678/api/v1',
  }),
);

/** An execution that goes on. */
interface Running {
  book: BookedExecution;
  cancelling: AbortController;
  nodeContext: IDataObject;
  deed: Deed;
  /** When its input came: retries have the same. */
  askedAt: number;
  /** The round of its loop that goes on, or has failed. */
  round: number;
}

/** What the rounds of an execution give. */
interface Given {
  items: IDataObject[];
  notCalled: number[];
  error: string | undefined;
}

interface Publication {
  index: number;
  settings: TriggerOfHistory;
  context: IPollFunctions;
  /** Polls that go on. */
  polls: number;
}

function mostHappeningsIn({ steps }: History): number {
  const orders = steps.map((step) =>
    'orders' in step ? step.orders.to - step.orders.from + 1 : 0,
  );
  return orders.reduce((sum, many) => sum + many * MOST_HAPPENINGS_AN_ORDER, MOST_HAPPENINGS);
}

/** The columns of the log as a package makes them. */
const columnsOfLog = new WeakMap<PackageText, TableColumn[]>();

async function logColumns(text: PackageText): Promise<TableColumn[]> {
  const known = columnsOfLog.get(text);
  if (known !== undefined) return known;
  const history = aHistory({});
  const columns = await new Simulation(text, history, undefined).columnsMade();
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
  return await new Simulation(text, history, await logColumns(text), tells).run();
}

/** The world of one history. */
class Simulation {
  private readonly startedAt: number;
  private readonly world: World;
  private readonly tables: DataTablesOfN8n;
  private readonly service: WorldService;
  private readonly database = new Database();
  private readonly network: Network;
  private readonly processes: N8nProcess[] = [];
  /** Those that were killed too. */
  private readonly started: N8nProcess[] = [];
  private readonly publications: Publication[] = [];
  private readonly running = new Set<Running>();
  private readonly ended = new Map<number, Running>();
  private readonly executions: BookedExecution[] = [];
  private readonly fired: Fired[] = [];
  private readonly story: StoryLine[] = [];
  private readonly warnings: StoryLine[] = [];
  private readonly doNotCall: Books['doNotCall'] = new Map();
  private readonly phonesByHand: Books['phonesByHand'] = new Map();
  private readonly renumbered: Books['renumbered'] = new Set();
  private readonly dueByHand: Books['dueByHand'] = new Map();
  private readonly cancelledByHand: Books['cancelledByHand'] = new Map();
  private readonly scheduledByHand: Books['scheduledByHand'] = new Set();
  private readonly deletedByHand: Books['deletedByHand'] = new Set();
  private emptiedAt: number | undefined;
  private readonly kills: number[];
  private readonly beganAt: number[];
  /** The processes of polls that go on. */
  private polls: N8nProcess[] = [];
  /** Triggers that are published again later. */
  private unpublished = 0;
  private stepsLeft: number;
  /** Until then n8n answers with status 500. */
  private failsUntil = 0;
  /** Until then n8n answers late, by how much at most. */
  private slow = { until: 0, lateMs: 0 };
  /** What the service answers until then. */
  private serviceFails: { until: number; answer: ServerAnswer } | undefined;
  /** Which of the keys the credential has. */
  private keyInUse = 0;
  private logName = LOG;
  private exchanges = 0;
  private readonly exchangedBefore: number[] = [];

  constructor(
    private readonly text: PackageText,
    private readonly history: History,
    columns: TableColumn[] | undefined,
    private readonly tells = true,
  ) {
    const most = mostHappeningsIn(history);
    this.startedAt = Date.parse(history.begins.at);
    this.world = new World(history.seed, this.startedAt, most, history.isInOrder);
    const { random } = this.world;
    // Rows are numbered when they are inserted, and seen by others when that is committed; then n8n answers.
    let commitMs = 0;
    this.tables = new DataTablesOfN8n({
      now: () => this.world.now,
      database: history.database,
      isIndexed: true,
      visibleAfterMs: () => (commitMs = random.next() ** 4 * history.visibleAfterMs),
    });
    this.service = new WorldService(this.world, history);
    const servers = {
      tables: ({ method, path, query, body }: WorldRequest) => {
        if (this.world.now < this.failsUntil) {
          return { status: 500, headers: {}, body: { message: 'SQLITE_BUSY' } };
        }
        commitMs = 0;
        const lateMs = this.world.now < this.slow.until ? random.next() * this.slow.lateMs : 0;
        const asked = { method, path: path.slice('/api/v1'.length), query, body };
        const { status, body: answer } = this.tables.handle(asked);
        return { status, headers: {}, body: textOf(answer), takesMs: commitMs + lateMs };
      },
      service: (request: WorldRequest) => {
        const { until = 0, answer: failed } = this.serviceFails ?? {};
        if (failed !== undefined && this.world.now < until) return failed;
        const before = this.service.rings.length;
        const answer = this.service.handle(request);
        const ring = this.service.rings[before];
        if (ring !== undefined) {
          this.tell(ring.sender, `calls ${ring.phone} about ${numberOf(ring.order)}`);
        }
        if (ring !== undefined) answer.heard = () => (ring.isTold = true);
        const takesMs = ring === undefined || this.network.isCalm ? 0 : (history.placingMs ?? 0);
        return { ...answer, takesMs };
      },
    };
    this.network = new Network(this.world, servers, this.processes, {
      faults: history.faults,
      latencyMs: history.latencyMs,
      kill: (process) => this.kill(process),
      tell: (who, what) => this.tell(who, what),
    });
    history.skews.forEach((_, index) => (this.processes[index] = this.processOf(index)));
    this.stepsLeft = history.steps.length;
    this.kills = history.skews.map(() => 0);
    this.beganAt = history.triggers.map(() => Infinity);
    if (columns !== undefined && history.hasNoLog !== true) this.createTable(LOG, columns);
    if (history.settings.doNotCall === true) {
      this.createTable(DO_NOT_CALL, [{ name: 'phone', type: 'string' }]);
    }
  }

  /** The columns that the package itself gives to a log. */
  async columnsMade(): Promise<TableColumn[]> {
    this.begin(-1, { do: 'schedule', process: 0, orders: { from: 0, to: 0 } });
    await this.world.runUntil(() => this.running.size === 0);
    const { body } = this.tables.handle({
      method: 'GET',
      path: '/data-tables',
      query: {},
      body: undefined,
    });
    return (body as { data: Array<{ columns: TableColumn[] }> }).data[0]?.columns ?? [];
  }

  async run(): Promise<Books> {
    const { world, history } = this;
    history.triggers.forEach((settings, index) => {
      const { publishedAt } = settings;
      if (publishedAt === undefined) return this.publish(index, settings);
      this.unpublished++;
      world.after(publishedAt, () => {
        this.unpublished--;
        this.tell('a person', `publishes trigger ${index + 1}`);
        this.publish(index, settings);
      });
    });
    await world.runTo(this.startedAt + 2_000);
    let last = 0;
    history.steps.forEach((step, index) => {
      const act = () => this.take(step, index);
      if ('at' in step.when) {
        last = Math.max(last, step.when.at);
        world.after(step.when.at, act);
      } else {
        const { on, afterMs = 0 } = step.when;
        this.network.on(on, () => world.after(afterMs, act));
      }
    });
    const { minutes = 0 } = history;
    for (let minute = 1; minute <= minutes; minute++) {
      world.after(minute * MINUTE_MS, () => this.passMinute());
    }
    last = Math.max(last, minutes * MINUTE_MS);
    await world.runTo(world.now + last + 1);
    await world.runUntil(() => this.isQuiet(), world.now + MAY_GO_ON_MS);
    const calmAt = world.now;
    await this.calmDown();
    for (const process of this.started) process.giveBack();
    return {
      startedAt: this.startedAt,
      endedAt: world.now,
      calmAt,
      rings: this.service.rings.filter(({ phone }) => phone !== TEST_PHONE),
      executions: this.executions.filter(({ deed }) => deed !== 'try'),
      trials: this.executions.filter(({ deed }) => deed === 'try'),
      fired: this.fired,
      rows: this.logRows().filter(({ phone }) => phone !== TEST_PHONE),
      warnings: this.warnings,
      doNotCall: this.doNotCall,
      listed:
        history.settings.doNotCall === true
          ? this.tables.rowsOf(DO_NOT_CALL).map(({ phone }) => String(phone))
          : [],
      phonesByHand: this.phonesByHand,
      renumbered: this.renumbered,
      dueByHand: this.dueByHand,
      cancelledByHand: this.cancelledByHand,
      scheduledByHand: this.scheduledByHand,
      deletedByHand: this.deletedByHand,
      emptiedAt: this.emptiedAt,
      beganAt: this.beganAt,
      exchangedBefore: this.exchangedBefore,
      requests: this.network.sent,
      processes: this.kills.map((kills, index) => ({
        kills,
        resumedAt: this.started
          .filter(({ name }) => name === nameOf(index))
          .flatMap(({ resumedAt }) => resumedAt),
      })),
      story: this.story,
    };
  }

  /** What n8n does every minute by itself. */
  private passMinute(): void {
    this.processes.forEach((_, process) => this.pollAll(process));
    if (this.logRows().some(waitsToBePlaced)) {
      for (const key of this.keys) {
        this.begin(-1, { do: 'place', process: 0, keepOnSeconds: 50, ...key });
      }
    }
  }

  /** The accounts that are in use side by side. */
  private get keys(): Array<Pick<Deed, 'key'>> {
    const { steps } = this.history;
    return steps.some(({ key }) => key !== undefined) ? [{ key: 0 }, { key: 1 }] : [{}];
  }

  private isQuiet(): boolean {
    return this.running.size === 0 && this.stepsLeft === 0 && this.polls.length === 0;
  }

  /** Nothing befalls anybody any more, and n8n does what is left to do. */
  private async calmDown(): Promise<void> {
    const { world } = this;
    this.network.isCalm = true;
    this.tables.mostRows = Infinity;
    this.failsUntil = 0;
    this.slow.until = 0;
    this.serviceFails = undefined;
    for (const process of this.processes) process.resume();
    this.tell('the world', 'is calm from now on');
    const isIdle = () => this.running.size === 0 && this.polls.length === 0;
    let before = '';
    let stoodBefore = '';
    let idle = 0;
    let jumpMs = SHORTEST_JUMP_MS;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      // Where no trigger is published it is this operation that looks at calls.
      const isWatched = this.keys.every(({ key }) =>
        this.published().some(
          ({ settings }) => settings.watch !== 'instance' && settings.key === key,
        ),
      );
      const isToDo = isWatched ? waitsToBePlaced : goesOn;
      if (this.logRows().some(isToDo)) {
        for (const key of this.keys) {
          this.begin(-1, { do: 'place', process: 0, keepOnSeconds: 0, ...key });
          await world.runUntil(isIdle, world.now + LONGEST_ROUND_MS);
        }
      }
      // To look while phones ring shows nothing that it has not shown before.
      const { rings } = this.service;
      await world.runTo(rings.reduce((last, { endsAt }) => Math.max(last, endsAt + 1), world.now));
      this.processes.forEach((_, process) => this.pollAll(process));
      await world.runUntil(isIdle, world.now + LONGEST_ROUND_MS);
      const open = this.logRows().filter((row) => goesOn(row) || !row.hasEnded);
      const state = JSON.stringify([open, this.fired.length, this.service.rings.length]);
      // What was done with one account goes on with that account only.
      const hasTwo = this.history.steps.some((step) => step.do === 'exchangeKey');
      if (hasTwo) this.exchangeKey();
      // A trigger that is published again polls after that, with each. The round of publishing itself is short.
      const isSettled = state === before && this.unpublished === 0;
      idle = isSettled ? idle + 1 : 0;
      const isOver = idle >= (open.length === 0 ? 2 + Number(hasTwo) : IDLE_ROUNDS);
      if (isOver && this.unpublished === 0) return;
      // A call that waits for another is due again a minute later, as often as it is asked.
      const stands = JSON.stringify([
        open.map((row) => ({ ...row, dueAt: undefined })),
        this.fired.length,
      ]);
      jumpMs = stands === stoodBefore ? Math.min(jumpMs * 2, LONGEST_JUMP_MS) : SHORTEST_JUMP_MS;
      before = state;
      stoodBefore = stands;
      // What has become due meanwhile, by the clock of whoever places it, is placed first.
      const due = open.filter(waitsToBePlaced).flatMap(({ dueAt }) => dueAt ?? []);
      const firstDue = due.length > 0 ? Math.min(...due) - this.process(0).aheadMs + 1 : 0;
      const next = Math.max(world.now + jumpMs, firstDue);
      await world.runTo(next);
    }
  }

  private fillTables({
    ms,
    refusesChanges = false,
  }: {
    ms: number;
    refusesChanges?: boolean;
  }): void {
    const what = refusesChanges ? 'rows and changes' : 'rows';
    this.tell('n8n', `has no room for ${what} for ${ms / 1000} s`);
    this.tables.mostRows = this.tables.rowCount;
    this.tables.refusesChanges = refusesChanges;
    this.world.after(ms, () => (this.tables.mostRows = Infinity));
  }

  private logRows(): LogRow[] {
    return logRows(this.tables, this.logName);
  }

  /** What workflows say of their log: its name, or its id when a person has chosen it from the list. */
  private get callLogTable(): IDataObject {
    return this.history.isLogFromList === true
      ? { __rl: true, mode: 'list', value: this.tables.idOf(this.logName) }
      : { __rl: true, mode: 'name', value: LOG };
  }

  private createTable(name: string, columns: TableColumn[]): void {
    this.tables.handle({
      method: 'POST',
      path: '/data-tables',
      query: {},
      body: { name, columns },
    });
  }

  private tell(who: string, what: string): void {
    if (!this.tells) return;
    this.story.push({ at: this.world.now, who, what });
  }

  private processOf(index: number): N8nProcess {
    const process = new N8nProcess(this.world, this.text, {
      name: nameOf(index),
      skewMs: this.processes[index]?.aheadMs ?? this.history.skews[index] ?? 0,
      seed: this.world.random.integer(0, 2 ** 31),
    });
    this.started.push(process);
    return process;
  }

  private process(index: number): N8nProcess {
    const process = this.processes[index % this.processes.length];
    if (process === undefined) throw new Error('A history needs a process');
    return process;
  }

  private kill(index: number): void {
    const process = this.process(index);
    if (process.isDead) return;
    process.kill();
    const at = index % this.processes.length;
    this.kills[at] = (this.kills[at] ?? 0) + 1;
    this.tell(process.name, 'is killed');
    for (const one of this.running) {
      if (this.process(one.book.process) !== process) continue;
      this.running.delete(one);
      Object.assign(one.book, { state: 'crashed', endedAt: this.world.now });
    }
    this.polls = this.polls.filter((one) => one !== process);
    this.world.after(DOWN_MS, () => {
      this.processes[at] = this.processOf(at);
      this.tell(process.name, 'is started again');
      const triggers = this.published().filter(
        ({ settings }) => this.process(settings.process) === this.process(at),
      );
      for (const { index: trigger, settings } of triggers) this.publish(trigger, settings);
    });
  }

  private take(step: Step, index: number): void {
    this.stepsLeft--;
    switch (step.do) {
      case 'schedule':
      case 'call':
      case 'callAndWait':
      case 'place':
      case 'try':
      case 'cancel':
      case 'prune':
      case 'pruneByAge':
        return this.begin(index, step);
      case 'retry':
        return this.retry(index, step);
      case 'poll':
        return this.pollAll(step.process);
      case 'kill':
        return this.kill(step.process);
      case 'pause': {
        const process = this.process(step.process);
        process.pause();
        this.tell(process.name, `stands still for ${step.ms / 1000} s`);
        return this.world.after(step.ms, () => {
          process.resume();
          this.tell(process.name, 'goes on');
        });
      }
      case 'setClock': {
        const process = this.process(step.process);
        this.tell('somebody', `sets the clock of ${process.name} by ${step.ms / 1000} s`);
        return void (process.aheadMs += step.ms);
      }
      case 'cancelExecution': {
        const running = [...this.running].find(({ book }) => book.step === step.step);
        if (running === undefined) return;
        this.tell('a person', `cancels execution ${running.book.id}`);
        running.book.state = 'cancelled';
        return running.cancelling.abort();
      }
      case 'outcomeChanges':
        this.tell('the service', `now says "${step.label}" of ${numberOf(step.order)}`);
        return this.service.changeOutcome(step.order, step.label);
      case 'doNotCall':
        return this.forbid(phoneIn(this.history, step.order));
      case 'exchangeKey':
        return this.exchangeKey();
      case 'editDueAt':
        return this.moveByHand(step.order, this.world.now + step.minutes * MINUTE_MS);
      case 'cancelByHand': {
        const status = spelled('cancelled', step.order);
        const waited = this.edit(step.order, { status }, WAITING);
        if (waited) this.cancelledByHand.set(step.order, this.world.now);
        else this.cancelRinging(step.order);
        return;
      }
      case 'scheduleByHand':
        return this.scheduleByHand(step.order);
      case 'deleteRows': {
        this.tell('a person', `deletes the rows of ${numberOf(step.order)}`);
        this.deletedByHand.add(step.order);
        return this.deleteFrom(this.logName, numberOf(step.order));
      }
      case 'emptyLog':
        return this.emptyLog();
      case 'renameLog':
        this.tell('a person', `renames the log to "${step.name}"`);
        this.tables.rename(this.logName, step.name);
        return void (this.logName = step.name);
      case 'unpublish':
        return this.unpublish(step);
      case 'tablesFull':
        return this.fillTables(step);
      case 'tablesFail':
        this.tell('n8n', `fails for ${step.ms / 1000} s`);
        return void (this.failsUntil = this.world.now + step.ms);
      case 'tablesSlow':
        this.tell('n8n', `answers up to ${step.lateMs / 1000} s late for ${step.ms / 1000} s`);
        return void (this.slow = { until: this.world.now + step.ms, lateMs: step.lateMs });
      case 'serviceFails':
        this.tell('the service', `answers with ${step.status} for ${step.ms / 1000} s`);
        return void (this.serviceFails = {
          until: this.world.now + step.ms,
          answer: statusAnswer(step),
        });
      case 'edit':
        return void this.edit(step.order, step.cells, step.where);
      case 'copyRow': {
        const row = this.tables
          .rowsOf(this.logName)
          .find((row) => row[this.nameColumn] === numberOf(step.order));
        if (row === undefined) return;
        this.tell('a person', `copies the row of ${numberOf(step.order)}`);
        const { id, createdAt, updatedAt, ...cells } = row;
        return void [id, createdAt, updatedAt, this.insertInto(this.logName, cells)];
      }
    }
  }

  private forbid(phone: string): void {
    this.tell('a person', `puts ${phone} on the do-not-call list`);
    this.doNotCall.set(phone, this.world.now);
    this.insertInto(DO_NOT_CALL, { phone });
  }

  private exchangeKey(): void {
    this.keyInUse = 1 - this.keyInUse;
    this.exchanges++;
    this.tell('a person', `enters the key ${String(CREDENTIALS[this.keyInUse]?.apiKey)}`);
  }

  /** As a person does, who sees the row at once. */
  private insertInto(name: string, cells: Record<string, Cell>): void {
    const table = this.tables.tables.find((one) => one.name === name);
    if (table !== undefined) this.tables.add(table, [cells]);
  }

  /** The column that says of which order a row is. */
  private get nameColumn(): 'customerName' | 'orderNumber' {
    return this.history.settings.hasNoNumbers === true ? 'customerName' : 'orderNumber';
  }

  private deleteFrom(table: string, orderNumber: string): void {
    const filters = [{ columnName: this.nameColumn, condition: 'eq', value: orderNumber }];
    this.tables.handle({
      method: 'DELETE',
      path: `/data-tables/${this.tables.idOf(table)}/rows/delete`,
      query: { filter: JSON.stringify({ type: 'and', filters }) },
      body: undefined,
    });
  }

  private emptyLog(): void {
    const rows = this.logRows();
    this.tell('a person', `deletes all ${rows.length} rows of the log`);
    for (const { order } of rows) this.deletedByHand.add(order);
    this.emptiedAt = this.world.now;
    const filters = [{ columnName: 'id', condition: 'gte', value: 0 }];
    this.tables.handle({
      method: 'DELETE',
      path: `/data-tables/${this.tables.idOf(this.logName)}/rows/delete`,
      query: { filter: JSON.stringify({ type: 'and', filters }) },
      body: undefined,
    });
  }

  /** @returns whether a row was changed whose call waits to be placed */
  private edit(order: number, cells: IDataObject, only: Record<string, string> = {}): boolean {
    const rows = this.logRows().filter((row) => row.order === order);
    // A late copy of a row whose call was placed stands for nothing.
    const isCopy = (row: LogRow) =>
      rows.some(
        ({ callId, attempt, status }) =>
          callId === row.callId && attempt === row.attempt && status !== 'scheduled',
      );
    const waits = rows.some((row) => row.status === 'scheduled' && !isCopy(row));
    const mine = Object.entries({ [this.nameColumn]: numberOf(order), ...only });
    const changed = this.write(
      mine.map(([columnName, value]) => ({ columnName, condition: 'eq', value })),
      cells,
    );
    this.tell('a person', `edits ${changed} rows of ${numberOf(order)}: ${JSON.stringify(cells)}`);
    if (changed > 0 && typeof cells.customerPhone === 'string') {
      if (waits) this.phonesByHand.set(order, { at: this.world.now, phone: cells.customerPhone });
      // A next attempt may go by what was written into the row of this one.
      else this.phonesByHand.delete(order);
      if (rows.some(({ status }) => status !== 'scheduled')) this.renumbered.add(order);
    }
    return waits && changed > 0;
  }

  /** Has a person write another time into a row that waits, and look whether it stands. */
  private moveByHand(order: number, dueAt: number): void {
    const at = this.world.now;
    if (!this.edit(order, { dueAt: new Date(dueAt).toISOString() }, WAITING)) return;
    const written = { at, dueAt };
    this.dueByHand.set(order, written);
    this.world.after(WAYS_TO_OVERWRITE * this.network.longestDelayMs, () => {
      const waits = (row: LogRow) => row.order === order && row.status === 'scheduled';
      const stands = this.logRows()
        .filter(waits)
        .every((row) => row.dueAt === dueAt);
      if (stands || this.dueByHand.get(order) !== written) return;
      this.tell('a person', `sees that the time of ${numberOf(order)} was overwritten`);
      this.dueByHand.delete(order);
    });
  }

  /** Has a person cancel a call that goes on. */
  private cancelRinging(order: number): void {
    const rings = ({ order: of, status }: LogRow) => of === order && status === 'in_progress';
    const before = this.logRows().filter(rings).length;
    this.edit(order, { status: spelled('cancelled', order) }, { status: 'in_progress' });
    // n8n may have refused it.
    const isCancelled = this.logRows().filter(rings).length < before;
    if (isCancelled) this.cancelledByHand.set(order, this.world.now);
  }

  /** Writes cells into rows of the log, as a person does. Returns into how many. */
  private write(filters: Condition[], data: IDataObject): number {
    const { body } = this.tables.handle({
      method: 'PATCH',
      path: `/data-tables/${this.tables.idOf(this.logName)}/rows/update`,
      query: {},
      body: { filter: { type: 'and', filters }, data, returnData: true },
    });
    return Array.isArray(body) ? body.length : 0;
  }

  private scheduleByHand(order: number): void {
    const rows = this.logRows().filter((row) => row.order === order && row.hasEnded);
    const [first] = rows.sort((a, b) => a.attempt - b.attempt);
    if (first === undefined) return;
    const itself = { columnName: 'id', condition: 'eq', value: first.id };
    this.write([itself], { status: spelled('scheduled', order), finishedAt: null });
    this.scheduledByHand.add(order);
    this.tell('a person', `schedules attempt ${first.attempt} at ${numberOf(order)} again`);
  }

  private unpublish({ trigger, ms }: Extract<Deed, { do: 'unpublish' }>): void {
    const publication = this.publications[trigger];
    if (publication === undefined) return;
    this.tell('a person', `unpublishes trigger ${trigger + 1}`);
    delete this.publications[trigger];
    this.unpublished++;
    this.world.after(ms, () => {
      this.unpublished--;
      this.tell('a person', `publishes trigger ${trigger + 1} again`);
      this.publish(trigger, publication.settings);
    });
  }

  private workflowOf({ step }: BookedExecution, deed: Deed): string {
    const node = nodeOf(deed);
    return this.history.settings.inOwnWorkflows === true ? `${node} ${step}` : node;
  }

  private settingsOf({ settings }: Deed): History['settings'] {
    return { ...this.history.settings, ...settings };
  }

  private parametersOf(deed: Deed): IDataObject {
    if (deed.do === 'try') return this.parametersOfTrial(deed);
    const settings = this.settingsOf(deed);
    const { planMinutes, hours, maxCallsPerDay, maxCallsPerPersonPerDay, concurrency } = settings;
    const plan =
      planMinutes === undefined
        ? {}
        : { retry: { plan: { outcomes: 'no_answer', afterMinutes: planMinutes.join(', ') } } };
    const options = {
      ...plan,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(settings.notCalledOutput === true ? { notCalledOutput: true } : {}),
    };
    const rules: IDataObject = {
      ...(settings.preventDuplicates === true ? { preventDuplicates: true } : {}),
      ...(settings.doNotCall === true
        ? { doNotCallTable: { __rl: true, mode: 'name', value: DO_NOT_CALL } }
        : {}),
      ...(settings.doNotCallOutcomes === true ? { doNotCallOutcomes: 'Not Interested' } : {}),
      ...(hours === undefined
        ? {}
        : {
            callingHours: {
              hours: {
                start: hours.start,
                end: hours.end,
                customersTimezone: hours.isOfCustomers === true,
                days: hours.days ?? WEEK,
                timezone: hours.timezone ?? 'workflow',
              },
            },
          }),
      // Without hours it is refused: it has no effect.
      ...(settings.outsideHours === undefined || hours === undefined
        ? {}
        : { outsideCallingHours: settings.outsideHours }),
      ...(settings.maxCostPerDay === undefined ? {} : { maxCostPerDay: settings.maxCostPerDay }),
      ...(maxCallsPerDay === undefined ? {} : { maxCallsPerDay }),
      ...(maxCallsPerPersonPerDay === undefined ? {} : { maxCallsPerPersonPerDay }),
    };
    const call = {
      resource: 'call',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields:
        settings.hasNoNumbers === true
          ? { customerName: '={{ $json.number }}' }
          : { orderNumber: '={{ $json.number }}' },
      callLogTable: this.callLogTable,
      rules,
    };
    const callLog = settings.hasNoLog === true ? 'none' : 'dataTable';
    switch (deed.do) {
      case 'schedule': {
        const isLater = deed.delayMinutes !== undefined || deed.callAt !== undefined;
        const callAt = isLater ? { callAt: '={{ $json.callAt }}' } : {};
        const again = settings.scheduleAgain === true ? { scheduleAgain: true } : {};
        return { ...call, operation: 'schedule', ...callAt, options: { ...plan, ...again } };
      }
      case 'call':
        return { ...call, operation: 'trigger', callLog, options };
      case 'callAndWait':
        return { ...call, operation: 'triggerAndWait', callLog, options };
      case 'cancel': {
        const cancelValue =
          deed.by === 'phone' ? phoneIn(this.history, deed.order) : numberOf(deed.order);
        const what = { cancelBy: deed.by, cancelValue };
        return {
          resource: 'call',
          operation: 'cancelScheduled',
          callLogTable: this.callLogTable,
          ...what,
        };
      }
      case 'pruneByAge': {
        const what = { pruneBy: 'age', olderThanDays: 1 };
        return {
          resource: 'callLog',
          operation: 'prune',
          callLogTable: this.callLogTable,
          ...what,
        };
      }
      case 'prune': {
        const what = { pruneBy: 'phone', customerPhone: phoneIn(this.history, deed.order) };
        return {
          resource: 'callLog',
          operation: 'prune',
          callLogTable: this.callLogTable,
          ...what,
        };
      }
      default: {
        const maxInProgress = this.network.isCalm ? MANY : (settings.maxInProgress ?? 10);
        const keepOnSeconds = deed.do === 'place' ? (deed.keepOnSeconds ?? 0) : 0;
        const pace = concurrency === undefined ? {} : { concurrency };
        return {
          resource: 'call',
          operation: 'placeScheduled',
          callLogTable: this.callLogTable,
          options: { maxInProgress, keepOnSeconds, firstCheckAfterSeconds: 1, ...pace },
        };
      }
    }
  }

  /** Of what an order without a number says, with the number by which the books know it. */
  private numbered(item: IDataObject): IDataObject {
    if (this.history.settings.hasNoNumbers !== true) return item;
    const { customerName, customerPhone } = item;
    const isOf = (order: number) => phoneIn(this.history, order) === customerPhone;
    const orderNumber =
      customerName ?? Object.keys(this.history.outcomes).map(Number).filter(isOf).map(numberOf)[0];
    return { ...item, ...(orderNumber === undefined ? {} : { orderNumber }) };
  }

  private ordersOf(deed: Deed): number[] {
    if ('orders' in deed) return listOf(deed.orders);
    if (deed.do !== 'cancel' && deed.do !== 'prune') return [];
    if (deed.do === 'cancel' && deed.by === 'orderNumber') return [deed.order];
    const orders = Object.keys(this.history.outcomes).map(Number);
    const isOfPerson = (order: number) =>
      phoneIn(this.history, order) === phoneIn(this.history, deed.order);
    return [...new Set([deed.order, ...orders.filter(isOfPerson)])];
  }

  private parametersOfTrial({ what, how, process, orders }: Trial): IDataObject {
    const parameters = this.parametersOf({ do: what, process, orders });
    const test = how === 'testPhone' ? { testPhone: TEST_PHONE } : {};
    const rules = { ...(parameters.rules as IDataObject), manualExecutions: how, ...test };
    return { ...parameters, rules };
  }

  private begin(step: number, deed: Deed, retried?: Running): void {
    const index = 'process' in deed ? deed.process % this.processes.length : 0;
    const process = this.process(index);
    if (process.isDead || process.isPaused) {
      // n8n starts it when it is back.
      return this.world.after(5_000, () => this.begin(step, deed, retried));
    }
    const orders = this.ordersOf(deed);
    const askedAt = retried?.askedAt ?? this.world.now;
    const book: BookedExecution = {
      id: `E${this.executions.length + 1}`,
      step,
      deed: deed.do as BookedExecution['deed'],
      process: index,
      key: deed.key,
      settings: this.settingsOf(deed),
      orders,
      callAt: this.callAtOf(deed, askedAt),
      startedAt: this.world.now,
      endedAt: undefined,
      state: 'running',
      items: [],
      notCalled: [],
      error: undefined,
      toldAgent: [],
      placedByError: [],
      hints: [],
      tries: 0,
      retryOf: retried?.book.id,
      rowsBefore:
        deed.do === 'cancel' ? this.logRows().filter(({ order }) => orders.includes(order)) : [],
    };
    this.executions.push(book);
    const running: Running = {
      book,
      deed,
      askedAt,
      round: retried?.round ?? 0,
      cancelling: new AbortControllerOfWorld(),
      nodeContext: structuredClone(retried?.nodeContext ?? {}),
    };
    this.running.add(running);
    this.ended.set(step, running);
    const who = `${book.id} on ${process.name}`;
    this.tell(who, `begins: ${wordsOf(deed)}${retried ? ` (retry of ${retried.book.id})` : ''}`);
    void this.execute(running, process).then(({ items, notCalled, error }) => {
      this.running.delete(running);
      // n8n saves it now: what later tries in this process write does not reach it.
      running.nodeContext = structuredClone(running.nodeContext);
      book.endedAt = this.world.now;
      // n8n throws away what a cancelled execution gives.
      if (book.state === 'cancelled') return this.tell(who, 'has ended, cancelled');
      book.state = error === undefined ? 'success' : 'error';
      book.items = items;
      book.notCalled = notCalled;
      book.error = error;
      this.tell(who, error === undefined ? `gives ${itemsInWords(items)}` : `fails: ${error}`);
      for (const hint of book.hints) this.tell(who, `hints: ${hint}`);
    });
  }

  /** All rounds of its loop, from the one that has failed. */
  private async execute(running: Running, process: N8nProcess): Promise<Given> {
    const { deed, book } = running;
    const { rounds = 1, isRepeated } = deed.do === 'call' ? deed : {};
    const { asks } = 'asks' in deed ? deed : {};
    if (asks !== undefined) return await this.executeTool(running, process, asks);
    const size = isRepeated === true ? 0 : Math.ceil(book.orders.length / rounds);
    const given: Given = { items: [], notCalled: [], error: undefined };
    for (; running.round < rounds; running.round++) {
      const from = running.round * size;
      const orders = size === 0 ? book.orders : book.orders.slice(from, from + size);
      if (rounds > 1 && orders.length === 0) break;
      const { items, notCalled, error } = await this.executeOnce(running, process, orders);
      given.items.push(...items);
      given.notCalled.push(...notCalled);
      if (error !== undefined) return { ...given, error };
    }
    return given;
  }

  /** An agent asks for each call by itself, and goes on when one fails. */
  private async executeTool(
    running: Running,
    process: N8nProcess,
    { times, apartMs, isWrittenOtherwise }: Asks,
  ): Promise<Given> {
    const { orders } = running.book;
    const asked = Array.from({ length: times }, (_, time) =>
      orders.map(async (order, index) => {
        await new Promise<void>((resolve) => process.after(time * apartMs, resolve));
        // n8n gives each request a run of its own.
        const round = time * orders.length + index;
        const write = isWrittenOtherwise === true && time % 2 === 1 ? otherNumberOf : numberOf;
        const given = await this.executeOnce({ ...running, round }, process, [order], write);
        const { error = '', items } = given;
        const orderIds = items.map(({ orderId }) => Number(orderId));
        running.book.toldAgent.push({ order, at: this.world.now, error, orderIds });
        return given;
      }),
    );
    const given = await Promise.all(asked.flat());
    return {
      items: given.flatMap(({ items }) => items),
      notCalled: [],
      error: given.flatMap(({ error }) => error ?? []).join(' / ') || undefined,
    };
  }

  private async executeOnce(
    { book, deed, cancelling, nodeContext, round }: Running,
    process: N8nProcess,
    orders: number[],
    write = numberOf,
  ): Promise<Given> {
    const tries = 'tries' in deed ? (deed.tries ?? 1) : 1;
    const goOn = book.settings.continueOnFail === true;
    const settings: Partial<INode> = {
      ...(goOn ? { onError: 'continueRegularOutput' } : {}),
      ...(tries > 1 ? { retryOnFail: true, maxTries: tries } : {}),
    };
    const isTool = 'asks' in deed && deed.asks !== undefined;
    const context: IExecuteFunctions = executeContext({
      ...this.contextOf(process, book.process, book.id, deed.key),
      workflow: { id: `workflow of ${this.workflowOf(book, deed)}`, name: nodeOf(deed) },
      node: { id: nodeOf(deed), name: 'Outbound AI Calling', type: 'action', isTool, settings },
      parameters: this.parametersOf(deed),
      database: this.database,
      executionId: book.id,
      mode: deed.do === 'try' ? 'manual' : 'trigger',
      items: this.itemsOf(deed, book, orders, write),
      nodeContext,
      runIndex: round,
      cancelled: cancelling.signal,
      hint: (message) => book.hints.push(message),
      waitForDatabase: async () =>
        await new Promise((resolve) =>
          process.after(1 + this.world.random.next() * this.history.latencyMs, resolve),
        ),
    });
    for (let left = tries; ; left--) {
      book.tries++;
      try {
        const branches = await process.package.action.execute?.call(context);
        const [called = [], apart = []] = branches as INodeExecutionData[][];
        const isOver = left <= 1 || cancelling.signal.aborted;
        if (Boolean(called[0]?.json.error) && !isOver) {
          // As when the node fails, n8n tries again for the sake of the first item.
          this.tell(`${book.id} on ${process.name}`, 'gives an error first, and is tried again');
          await new Promise<void>((resolve) => process.after(1_000, resolve));
          continue;
        }
        // An earlier try of the same execution may have called.
        const skipped = called.filter(
          ({ json }) => json.skipped === true && json.reason !== 'earlierTry',
        );
        const notCalled = [...skipped, ...apart].flatMap(({ pairedItem }) => {
          const { item } = pairedItem as { item: number };
          return orders[item] ?? [];
        });
        const items = [...called, ...apart].map(({ json }) => this.numbered(json));
        return { items, notCalled, error: undefined };
      } catch (error) {
        const told = error as Error & { description?: string; context?: { data?: IDataObject } };
        const placed = (told.context?.data?.placedOrderIds ?? []) as unknown[];
        book.placedByError = isTool ? [...book.placedByError, ...placed] : placed;
        const text = `${told.message}. ${told.description ?? ''}`;
        if (left <= 1 || cancelling.signal.aborted)
          return { items: [], notCalled: [], error: text };
        this.tell(`${book.id} on ${process.name}`, `fails, and is tried again: ${text}`);
        await new Promise<void>((resolve) => process.after(1_000, resolve));
      }
    }
  }

  private callAtOf(deed: Deed, askedAt: number): number | undefined {
    if (deed.do !== 'schedule') return undefined;
    const { callAt, delayMinutes } = deed;
    if (callAt !== undefined) return firstAt(this.history.begins.timezone, callAt);
    return delayMinutes === undefined ? undefined : askedAt + delayMinutes * MINUTE_MS;
  }

  private itemsOf(
    deed: Deed,
    { callAt: at }: BookedExecution,
    orders: number[],
    write: typeof numberOf,
  ) {
    if (!('orders' in deed)) return [{ json: {} }];
    const written = deed.do === 'schedule' ? deed.callAt : undefined;
    const when = at === undefined ? {} : { callAt: written ?? new Date(at).toISOString() };
    return orders.map((order) => ({
      json: { phone: phoneIn(this.history, order), number: write(order), ...when },
    }));
  }

  private contextOf(process: N8nProcess, index: number, sender: string, key?: 0 | 1) {
    return {
      package: process.package,
      timezone: this.history.begins.timezone,
      credential: () => CREDENTIALS[key ?? this.keyInUse] as IDataObject,
      credentialId: `${(key ?? 0) + 1}`,
      send: async (request: Parameters<Network['send']>[0]) =>
        await new Promise((resolve, reject) =>
          this.network.send(request, { process: index, sender }, { resolve, reject }),
        ),
      log: (level: string, what: string) => {
        const line = { at: this.world.now, who: sender, what };
        this.warnings.push(line);
        this.story.push({ ...line, what: `writes into n8n's log (${level}): ${what}` });
      },
    };
  }

  private retry(index: number, { step, process }: Extract<Deed, { do: 'retry' }>): void {
    const failed = this.ended.get(step);
    if (failed === undefined || failed.book.state !== 'error') return;
    this.begin(index, { ...failed.deed, process } as Deed, failed);
  }

  private publish(index: number, settings: TriggerOfHistory): void {
    const process = this.process(settings.process);
    const workflow = { id: `workflow ${index}`, name: `Outcomes ${index + 1}` };
    const staticData = this.database.staticDataOf(workflow.id);
    const sender = `trigger ${index + 1}`;
    const { finalOnly = false, fastChecks = false, watch = 'callLog' } = settings;
    const { events = ['outcomeAvailable', 'outcomeUnavailable'] } = settings;
    const context = pollContext({
      ...this.contextOf(process, settings.process % this.processes.length, sender, settings.key),
      workflow,
      node: { id: 'trigger', name: 'Outcome', type: 'trigger' },
      parameters: {
        events,
        watch,
        ...(watch === 'callLog' ? { callLogTable: this.callLogTable } : {}),
        options: { fastChecks, finalOnly },
      },
      staticData,
      budgetMs: 5 * MINUTE_MS,
      emit: (items, done) => {
        for (const item of items.map((one) => this.numbered(one))) {
          this.fired.push({ trigger: index, at: this.world.now, item });
          const { orderNumber, attempt, event, outcomeKey, endReason } = item;
          const what = `${String(event)} ${String(outcomeKey ?? endReason ?? '')}`;
          this.tell(
            sender,
            `fires for ${String(orderNumber)}, attempt ${String(attempt ?? 1)}: ${what}`,
          );
        }
        this.database.saveStaticData(workflow.id, staticData);
        process.after(1 + this.world.random.next() * this.history.latencyMs, () =>
          done?.resolve({} as never),
        );
      },
    });
    const publication = { index, settings, context, polls: 0 };
    this.publications[index] = publication;
    process.after(0, () => this.poll(publication));
  }

  private published(): Publication[] {
    return this.publications.filter((publication) => publication !== undefined);
  }

  private pollAll(index: number): void {
    const process = this.process(index);
    if (process.isDead || process.isPaused) return;
    for (const publication of this.published()) {
      if (this.process(publication.settings.process) === process) this.poll(publication);
    }
  }

  private poll(publication: Publication): void {
    const { index, settings, context } = publication;
    const process = this.process(settings.process);
    // n8n's next poll gives nothing while one goes on.
    const isAlone = publication.polls++ === 0;
    const { keyInUse, exchanges } = this;
    this.polls.push(process);
    const over = () => {
      publication.polls--;
      const at = this.polls.indexOf(process);
      if (at !== -1) this.polls.splice(at, 1);
    };
    const succeeded = () => {
      over();
      if (!isAlone) return;
      this.beganAt[index] = Math.min(this.beganAt[index] ?? Infinity, this.world.now);
      if (keyInUse === 1 && settings.key === undefined) this.exchangedBefore[index] ??= exchanges;
    };
    const polled = process.package.trigger.poll?.call(context) ?? Promise.resolve(null);
    void polled.then(succeeded, (error: Error) => {
      over();
      this.tell(`trigger ${index + 1}`, `fails: ${error.message}`);
    });
  }
}

/** So many rows are kept as text: what is asked for again is asked for soon. */
const TEXTS_KEPT = 2_000;
/** Of rows that were given before: rows are never changed. */
const textsOfRows = new Map<object, string>();

function textOfRow(row: object): string {
  const known = textsOfRows.get(row);
  if (known !== undefined) return known;
  const text = JSON.stringify(row);
  if (textsOfRows.size >= TEXTS_KEPT) textsOfRows.clear();
  textsOfRows.set(row, text);
  return text;
}

const textOfRows = (rows: object[]): string => `[${rows.map(textOfRow).join(',')}]`;

/** An answer of the tables as JSON. */
function textOf(answer: unknown): string {
  if (Array.isArray(answer)) return textOfRows(answer);
  const { data, ...rest } = answer as { data?: object[] };
  if (data === undefined) return JSON.stringify(answer);
  return `{"data":${textOfRows(data)},${JSON.stringify(rest).slice(1)}`;
}

/** A status as a person writes it. */
const spelled = (status: string, order: number): string =>
  order % 2 === 0 ? status : `${status.charAt(0).toUpperCase()}${status.slice(1)} `;

/** Which node does it: also a trial is one of the node that calls. */
const nodeOf = (deed: Deed): string => (deed.do === 'try' ? deed.what : deed.do);

const nameOf = (process: number): string => `n8n ${process + 1}`;

function ordersInWords({ from, to }: Orders): string {
  return from === to ? numberOf(from) : `${numberOf(from)} to ${numberOf(to)}`;
}

function wordsOf(deed: Deed): string {
  switch (deed.do) {
    case 'schedule':
      return `Schedule Call of ${ordersInWords(deed.orders)}`;
    case 'call':
      return `Call Customer of ${ordersInWords(deed.orders)}`;
    case 'callAndWait':
      return `Call Customer and Wait of ${ordersInWords(deed.orders)}`;
    case 'try':
      return `${deed.how} of ${deed.what} of ${ordersInWords(deed.orders)}`;
    case 'place':
      return 'Place Scheduled Calls';
    case 'prune':
      return `Prune Call Log of ${phoneOf(deed.order)}`;
    case 'cancel':
      return `Cancel Scheduled Calls of ${deed.by === 'phone' ? phoneOf(deed.order) : numberOf(deed.order)}`;
    default:
      return deed.do;
  }
}

function itemsInWords(items: IDataObject[]): string {
  const shown = items.slice(0, 3).map((item) => JSON.stringify(item));
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  return shown.length === 0 ? 'no item' : shown.join(', ') + more;
}
