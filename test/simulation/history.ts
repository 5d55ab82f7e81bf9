import type { IDataObject } from 'n8n-workflow';

/** One of the requests of a history. */
export interface Moment {
  to: 'tables' | 'service';
  /** `GET`, `POST`, … */
  method?: string;
  /** What the path ends with, e.g. `/rows`. */
  path?: string;
  /** What its body, or its filter, contains as JSON. */
  holds?: string;
  /** Which process sends it; any when left out. */
  process?: number;
  /** Only requests that are sent later, in milliseconds from the beginning. */
  from?: number;
  /** Which of those that fit, from 1. */
  nth: number;
}

/** What befalls one request. */
export type Fault = Moment & {
  /** Before the request has its effect, or after it. */
  when: 'before' | 'after';
  befalls:
    | { kind: 'refused' }
    | { kind: 'lost' }
    | { kind: 'status'; status: number; message?: string; retryAfter?: number; lateMs?: number }
    | { kind: 'slow'; ms: number }
    | { kind: 'odd'; body: unknown }
    /** The process stands still: before it sends the request, or before it hears the answer. */
    | { kind: 'pause'; ms: number }
    | { kind: 'kill' };
};

/** When something is done: so many milliseconds after the history begins, or when a request has been answered. */
export type When = { at: number } | { on: Moment; afterMs?: number };

/** Orders by number, both included. */
export interface Orders {
  from: number;
  to: number;
}

/** A person tries in the editor what a node would do; with `place` the orders mean nothing. */
export interface Trial {
  do: 'try';
  what: 'schedule' | 'call' | 'callAndWait' | 'place';
  how: 'dryRun' | 'testPhone' | 'simulate';
  process: number;
  orders: Orders;
}

/** An AI agent asks for each call so often, all at once, or so many milliseconds apart. */
export interface Asks {
  times: number;
  apartMs: number;
  /** It writes the number of an order otherwise every second time, with the same digits. */
  isWrittenOtherwise?: boolean;
}

/** What a workflow has of its own. */
interface OfWorkflow {
  /** Which of two accounts its credential has; the one in use everywhere when left out. */
  key?: 0 | 1;
  /** What it is set to otherwise than all others. */
  settings?: Partial<History['settings']>;
}

/** Of an execution that was killed or stopped, n8n has saved nothing; with `leftNoTrace`, not even that the node was begun. */
interface Retry {
  do: 'retry';
  process: number;
  step: number;
  leftNoTrace?: boolean;
  /** The workflow was saved since with a loop around the node: when all calls are done, it gets all of them again. */
  isRebuilt?: boolean;
}

/** What is done to the world of a history. */
export type Deed = AnyDeed & OfWorkflow;

type AnyDeed =
  | {
      do: 'schedule';
      process: number;
      orders: Orders;
      delayMinutes?: number;
      /** As a person writes it, by the clocks of the workflow: `2027-03-28 02:30`. */
      callAt?: string;
      tries?: number;
      asks?: Asks;
    }
  | {
      do: 'call';
      process: number;
      orders: Orders;
      tries?: number;
      /** In a loop: so many rounds in one execution, each with some of the orders. */
      rounds?: number;
      /** Each round asks for all orders. */
      isRepeated?: boolean;
      asks?: Asks;
    }
  | { do: 'callAndWait'; process: number; orders: Orders; tries?: number }
  | { do: 'place'; process: number; keepOnSeconds?: number }
  | Trial
  | { do: 'poll'; process: number }
  | { do: 'cancel'; process: number; order: number; by: 'orderNumber' | 'phone' }
  | Retry
  | { do: 'cancelExecution'; step: number }
  | { do: 'kill'; process: number }
  | { do: 'pause'; process: number; ms: number }
  /** Somebody, or n8n's machine, sets the clock of a process by so much. */
  | { do: 'setClock'; process: number; ms: number }
  | { do: 'unpublish'; trigger: number; ms: number }
  /** n8n's tables are full for so long, in milliseconds: they take no rows and no changes, or no rows alone. */
  | { do: 'tablesFull'; ms: number; refusesChanges?: boolean }
  /** n8n answers with status 500 for so long, in milliseconds. */
  | { do: 'tablesFail'; ms: number }
  /** n8n answers so much later, at most, for so long, in milliseconds. */
  | { do: 'tablesSlow'; ms: number; lateMs: number }
  /** The service answers with a status for so long, in milliseconds. */
  | { do: 'serviceFails'; ms: number; status: number; message?: string; retryAfter?: number }
  | { do: 'doNotCall'; order: number }
  /** Writes into rows of an order: only into those with these cells, when they are given. */
  | { do: 'edit'; order: number; cells: IDataObject; where?: Record<string, string> }
  /** Has the call due so many minutes after now. */
  | { do: 'editDueAt'; order: number; minutes: number }
  /** Writes `cancelled` into the status of rows that wait, or else of those whose calls go on. */
  | { do: 'cancelByHand'; order: number }
  /** Schedules the first attempt that has ended once more. */
  | { do: 'scheduleByHand'; order: number }
  | { do: 'copyRow'; order: number }
  /** Enters another API key into the credential, or the first one again. */
  | { do: 'exchangeKey' }
  | { do: 'deleteRows'; order: number }
  /** Deletes all rows of the log. */
  | { do: 'emptyLog' }
  /** Gives the log another name, when it was chosen from the list. */
  | { do: 'renameLog'; name: string }
  /** Deletes what the log tells of a person, as the operation does. */
  | { do: 'prune'; process: number; order: number }
  /** Deletes what is older than a day. */
  | { do: 'pruneByAge'; process: number }
  | { do: 'outcomeChanges'; order: number; label: string };

/** A deed by what it does. */
export type DeedOf<Does extends Deed['do']> = Extract<Deed, { do: Does }>;

export type Step = Deed & { when: When };

/** A trigger that is published from the beginning to the end, but for when a step says otherwise. */
export interface TriggerOfHistory {
  process: number;
  /** The log when it is left out. */
  watch?: 'callLog' | 'instance';
  finalOnly?: boolean;
  /** Polls stay awake for their budget, and look again every few seconds. */
  fastChecks?: boolean;
  events?: Array<'outcomeAvailable' | 'outcomeUnavailable'>;
  key?: 0 | 1;
  /** When it is published, in milliseconds: at the beginning when it is left out. */
  publishedAt?: number;
}

/** As the panel names the days. */
export const WEEK = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** When people may be called; it may go on after midnight. */
export interface Hours {
  start: string;
  end: string;
  /** On which days they begin; on all when they are left out. */
  days?: Array<(typeof WEEK)[number]>;
  /** By the clocks of the customers. */
  isOfCustomers?: boolean;
  /** An IANA name; that of the workflows when it is left out. */
  timezone?: string;
}

/** Everything that happens, but for what the seed decides. */
export interface History {
  name?: string;
  /** When it begins, as ISO 8601 in UTC, and in which time zone all workflows are. */
  begins: { at: string; timezone: string };
  /** Draws how long requests take, who goes on next, and all that the product draws. */
  seed: number;
  /** One for each process: how far its clock is ahead, in milliseconds. */
  skews: number[];
  /** Labels with which the attempts at an order end, the last one for all further. */
  outcomes: Record<number, string[]>;
  /** What everything that places calls is set to; the plan: minutes after `no_answer`. */
  settings: {
    planMinutes?: number[];
    preventDuplicates?: boolean;
    doNotCall?: boolean;
    /** Who says that it was `Not Interested` is put on the list. */
    doNotCallOutcomes?: boolean;
    hours?: Hours;
    maxCallsPerDay?: number;
    maxCallsPerPersonPerDay?: number;
    maxInProgress?: number;
    concurrency?: number;
    continueOnFail?: boolean;
    /** Call Customer, with or without Wait, writes no log. */
    hasNoLog?: boolean;
    /** Who was not called is told in an output of its own. */
    notCalledOutput?: boolean;
    /** The shop gives orders no number; their people have names. */
    hasNoNumbers?: boolean;
    outsideHours?: 'skip' | 'fail';
    maxCostPerDay?: number;
    /** Schedule Call schedules also a call that waits or rings. */
    scheduleAgain?: boolean;
    /** Whether each step is the node of a workflow of its own, which shares no duplicate keys with others. */
    inOwnWorkflows?: boolean;
  };
  /** So many people have all orders; each order is of another one when left out. */
  people?: number;
  triggers: TriggerOfHistory[];
  /** Seconds that a call lasts, at least and at most. */
  callSeconds: { min: number; max: number };
  /** For so long after a call the service says that it is completed, and nothing else of it. */
  labelAfterMs?: number;
  /** How n8n numbers rows; with SQLite rows are visible at once. */
  database: 'sqlite' | 'postgres';
  /** How long an answer takes and how late rows become visible, at most, in milliseconds; most are visible soon. */
  latencyMs: number;
  /** What is due at the same moment happens as it was asked for, as in one process; otherwise in drawn order. */
  isInOrder?: boolean;
  /** How much longer the service takes to answer a request that places a call, in milliseconds. */
  placingMs?: number;
  visibleAfterMs: number;
  /** For so many minutes from the beginning, each trigger polls every minute and calls that are due are placed, as in n8n. */
  minutes?: number;
  /** Nobody has made the log before: the first execution or trigger does. */
  hasNoLog?: boolean;
  /** Workflows name the log by its id, as after a choice from the list. */
  isLogFromList?: boolean;
  steps: Step[];
  faults: Fault[];
}

export const phoneOf = (order: number): string => `+1${2025551000 + order}`;
/** The phone of the person whose order it is. */
export const phoneIn = ({ people = Infinity }: History, order: number): string =>
  phoneOf(order > people ? ((order - 1) % people) + 1 : order);
/** The phone of the person who tries workflows out. */
export const TEST_PHONE = phoneOf(3_000_000);
export const numberOf = (order: number): string => `A-${order}`;
export const otherNumberOf = (order: number): string => `N-${order}`;
export const orderOf = (orderNumber: unknown): number => Number(String(orderNumber).slice(2));
export const listOf = ({ from, to }: Orders): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** All orders of a person. */
export const ordersOfPhone = (history: History, phone: unknown): number[] =>
  Object.keys(history.outcomes)
    .map(Number)
    .filter((order) => phoneIn(history, order) === phone);

/** An item of an order without a number, with the number by which the books know it. */
export function numbered(history: History, item: IDataObject): IDataObject {
  if (history.settings.hasNoNumbers !== true) return item;
  const { customerName, customerPhone } = item;
  const orderNumber = customerName ?? ordersOfPhone(history, customerPhone).map(numberOf)[0];
  return { ...item, ...(orderNumber === undefined ? {} : { orderNumber }) };
}

/** The accounts that are in use side by side. */
export function accountsIn({ steps }: History): Array<Pick<Deed, 'key'>> {
  return steps.some(({ key }) => key !== undefined) ? [{ key: 0 }, { key: 1 }] : [{}];
}

/** On a Monday, at noon. */
export const IN_INDIA = { at: '2027-03-01T06:30:00Z', timezone: 'Asia/Kolkata' };

/** A history with one process and no fault, but for what is given. */
export function aHistory(given: Partial<History>): History {
  return {
    begins: IN_INDIA,
    seed: 1,
    skews: [0],
    outcomes: {},
    settings: {},
    triggers: [],
    callSeconds: { min: 20, max: 60 },
    database: 'postgres',
    latencyMs: 30,
    visibleAfterMs: 20,
    steps: [],
    faults: [],
    ...given,
  };
}
