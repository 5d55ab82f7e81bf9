import { createHash, randomUUID } from 'crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import type { IDataObject } from 'n8n-workflow';
import { errorMessage } from '../nodeError';
import {
  CallingServiceError,
  mayHaveBeenProcessed,
  NothingSent,
  type FailureKind,
} from '../service/failure';
import type { ExecutionNotes, RequestNote } from './notes';

/**
 * What a request sets off when it is taken: a call, a campaign that calls nobody yet, or people are
 * called by a campaign from then on.
 */
export type Effect = 'call' | 'campaign' | 'dialling';

/** What makes two requests the same. */
export interface RequestIdentity {
  /** Whom and what it is about: the same must not be done twice in one execution. */
  subject: unknown;
  /** Everything that is sent. */
  content: unknown;
  /** Left out when nobody is called in consequence. */
  effect?: Effect;
}

/** What the tries of an execution have set off so far. */
export interface SetOff {
  /** Calls that were placed. */
  orderIds: number[];
  /** So many calls more may have been placed. */
  maybePlaced: number;
  /** Campaigns that call people. */
  dialling: number[];
  /** So many campaigns more may call people. */
  maybeDialling: number;
}

/** Something that was done, or may have been, in a form that n8n can store. */
interface Entry {
  /** The same in every copy that n8n makes of the memory. */
  id: string;
  subject: string;
  content: string;
  effect?: Effect | undefined;
  /** The fingerprint of the account with which it was done: the ids of another mean nothing to it. */
  account?: string | undefined;
  done?: IDataObject;
  /** Something that undoes it was done since: it may be done again, and stays among what was set off. */
  isOver?: boolean;
  /** Why nobody knows whether it was done. */
  unknown?: {
    kind: FailureKind;
    message: string;
    advice: string;
    status: number | null;
    campaignId: number | null;
  };
  /** What a later try needs to know beside. */
  note?: RequestNote;
}

interface Scope {
  entries: Entry[];
  notes: ExecutionNotes;
}

const HASH_LENGTH = 20;

function hashOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

type Hashes = Pick<Entry, 'subject' | 'content' | 'effect'>;

function hashesOf({ subject, content, effect }: RequestIdentity): Hashes {
  return { subject: hashOf(subject), content: hashOf([subject, content]), effect };
}

/** The entries of a memory by what they are about: going through all for each would take too long. */
const subjects = new WeakMap<Entry[], Map<string, Set<Entry>>>();

function subjectsOf(entries: Entry[]): Map<string, Set<Entry>> {
  const known = subjects.get(entries);
  if (known !== undefined) return known;
  const built = new Map<string, Set<Entry>>();
  subjects.set(entries, built);
  for (const entry of entries) noteSubject(built, entry);
  return built;
}

function noteSubject(bySubject: Map<string, Set<Entry>>, entry: Entry): void {
  if (entry.isOver) return;
  const same = bySubject.get(entry.subject) ?? new Set();
  bySubject.set(entry.subject, same.add(entry));
}

function add(entries: Entry[], entry: Entry): void {
  entries.push(entry);
  noteSubject(subjectsOf(entries), entry);
}

function remove(entries: Entry[], entry: Entry): void {
  const index = entries.lastIndexOf(entry);
  if (index >= 0) entries.splice(index, 1);
  subjectsOf(entries).get(entry.subject)?.delete(entry);
}

/** What is under way in this process, for tries that begin before others have ended. */
const underWay = new WeakMap<Entry, Promise<unknown>>();

/** So many executions are kept for further retries of them, with so many entries in all. */
const MOST_EXECUTIONS = 1_000;
const MOST_ENTRIES = 20_000;

/** What this process remembers of each execution and scope, the one used last at the end. */
const kept = new Map<string, Entry[]>();

/**
 * What all retries of an execution remember together: each begins with what was saved when that
 * execution failed, also a second retry of the same, which must not repeat what the first has done.
 *
 * @param saved as n8n gives it to this try
 */
function together(saved: Entry[], key: string): Entry[] {
  const entries = kept.get(key) ?? saved;
  if (entries !== saved) {
    const known = new Map(entries.map((entry) => [entry.id, entry]));
    for (const entry of saved) {
      const same = known.get(entry.id);
      if (same === undefined) add(entries, entry);
      else same.done ??= entry.done;
    }
  }
  kept.delete(key);
  kept.set(key, entries);
  return entries;
}

/** Forgets the executions that were not tried for longest. */
function forgetOldest(): void {
  let all = 0;
  for (const entries of kept.values()) all += entries.length;
  for (const [key, entries] of kept) {
    if (all <= MOST_ENTRIES && kept.size <= MOST_EXECUTIONS) return;
    all -= entries.length;
    kept.delete(key);
  }
}

/** Of each memory, for tries that run side by side. */
const turns = new WeakMap<Entry[], LimitFunction>();

/**
 * Remembers what one node has set in motion within one execution. It lives in the node's execution
 * context, which n8n keeps through Retry On Fail and saves with a failed execution. What was done is
 * known again by what it is, not by the place of its item: a retry may have other parameters, and an
 * AI agent has no items.
 */
export class ExecutionMemory {
  /** What later tries need to know beside, whatever became of the requests. */
  readonly notes: ExecutionNotes;
  private readonly entries: Entry[];
  /** What this try has found, or done itself. */
  private readonly seen: Set<Entry>;

  /**
   * @param context the node's execution context
   * @param scope tells apart what may be done again, such as the rounds of a loop
   * @param account the fingerprint of the account in use; undefined before it is known, while nothing is
   * done
   */
  constructor(
    context: IDataObject,
    scope: string,
    private readonly account?: string,
  ) {
    const scopes = (context.memory ??= {}) as Record<string, Scope>;
    const own = (scopes[scope] ??= { entries: [], notes: {} });
    const id = String((context.memoryId ??= randomUUID()));
    const key = `${id} ${scope}`;
    own.entries = together(own.entries, key);
    forgetOldest();
    this.entries = own.entries;
    this.notes = own.notes;
    this.seen = new Set(this.entries);
  }

  /**
   * Finds for each request what an earlier try has done of it. Every earlier entry answers one
   * request: first those that are the same to the letter, then those about the same subject.
   */
  recall(requests: RequestIdentity[]): Remembered[] {
    const earlier = new Set(this.entries.filter(({ isOver }) => isOver !== true));
    const hashed = requests.map(hashesOf);
    const found = new Map<number, Entry>();
    for (const by of ['content', 'subject'] as const) {
      const waiting = new Map<string, Entry[]>();
      for (const entry of earlier) {
        waiting.set(entry[by], [...(waiting.get(entry[by]) ?? []), entry]);
      }
      hashed.forEach((hashes, index) => {
        if (found.has(index)) return;
        const entry = waiting.get(hashes[by])?.shift();
        if (entry === undefined) return;
        found.set(index, entry);
        earlier.delete(entry);
      });
    }
    return hashed.map((hashes, index) => this.remembered(hashes, found.get(index)));
  }

  /** Everything about one subject may be done again: what is done now undoes it. */
  end(subject: unknown): void {
    const hash = hashOf(subject);
    for (const entry of subjectsOf(this.entries).get(hash) ?? []) entry.isOver = true;
    subjectsOf(this.entries).delete(hash);
  }

  /** Everything about one subject that earlier tries have done, or may have, the latest at the end. */
  earlier(subject: unknown): Remembered[] {
    const hash = hashOf(subject);
    const found = this.entries.filter((entry) => entry.subject === hash);
    for (const entry of found) this.seen.add(entry);
    return found.map((entry) => {
      const { content, effect } = entry;
      return this.remembered({ subject: hash, content, effect }, entry);
    });
  }

  /**
   * Does what depends on everything that others have done, when what they do is decided: an agent may
   * ask twice at once.
   */
  async inTurn<T>(act: () => Promise<T>): Promise<T> {
    const limit = turns.get(this.entries) ?? pLimit(1);
    turns.set(this.entries, limit);
    return await limit(act);
  }

  /** What all tries have set off until now. */
  get setOff(): SetOff {
    const of = (effect: Effect) => this.entries.filter((entry) => entry.effect === effect);
    const isOpen = ({ done }: Entry) => done === undefined;
    const calls = of('call');
    const starts = of('dialling');
    const campaigns = of('campaign');
    // A campaign that the service made otherwise than it was asked to may also run.
    const odd = campaigns.filter(({ unknown }) => typeof unknown?.campaignId === 'number');
    const running = campaigns.filter(({ done }) => resultOf(done).started === true);
    return {
      orderIds: calls.flatMap(({ done }) => idIn(resultOf(done).orderId)),
      maybePlaced: calls.filter(isOpen).length,
      dialling: [
        ...new Set([...starts, ...running].flatMap(({ done }) => idIn(resultOf(done).campaignId))),
      ],
      maybeDialling: starts.filter(isOpen).length + odd.length,
    };
  }

  /** Something that nobody else has done. */
  fresh(request: RequestIdentity): Remembered {
    return this.remembered(hashesOf(request), undefined);
  }

  private remembered(hashes: Hashes, entry: Entry | undefined) {
    return new Remembered(this.entries, this.seen, this.account, hashes, entry);
  }
}

/** What is remembered of one request. */
export class Remembered {
  constructor(
    private readonly entries: Entry[],
    private readonly seen: Set<Entry>,
    private readonly account: string | undefined,
    private readonly hashes: Hashes,
    private entry: Entry | undefined,
  ) {}

  /** Whether another try has begun it since this one began: an agent may ask twice at once. */
  isShared = false;

  /** Whether another try has done it, or may have. */
  get isKnown(): boolean {
    this.entry ??= this.begunMeanwhile();
    return this.entry !== undefined;
  }

  /** Whether a try with another account has done it, or may have: no id of it is used. */
  get isElsewhere(): boolean {
    return this.isKnown && this.entry?.account !== this.account;
  }

  /** The fingerprint of the account with which it was done, or may have been. */
  get madeWith(): string | undefined {
    return this.entry?.account;
  }

  /** Whether something was done since that undoes it. */
  get isOver(): boolean {
    return this.entry?.isOver === true;
  }

  /** Whether a try before this one has done it, or may have. */
  get isEarlier(): boolean {
    return this.entry !== undefined;
  }

  /** Whether what was done is about the same, but otherwise. */
  get isOtherwise(): boolean {
    return this.entry !== undefined && this.entry.content !== this.hashes.content;
  }

  /** Of the call that was placed with this account. */
  get orderId(): number | undefined {
    if (this.entry?.account !== this.account) return undefined;
    return idIn(resultOf(this.entry?.done).orderId)[0];
  }

  /** What an earlier try has noted. */
  get note(): RequestNote {
    return this.entry?.note ?? {};
  }

  /**
   * Does something once. What was done before is returned as it was; what may have been done before
   * fails again as it did, for only a person can find out.
   *
   * @param act its result must survive being stored as JSON
   * @param note what a later try needs to know beside, also when nobody knows whether it was done
   * @throws DoneElsewhere when it was done with another account
   */
  async once<T extends object>(act: () => Promise<T>, note?: RequestNote): Promise<T> {
    if (this.isKnown) {
      const done = await this.told<T>();
      if (this.isElsewhere) throw new DoneElsewhere('This was done, or may have been,', done);
      return done;
    }
    const id = randomUUID();
    const { hashes, account } = this;
    const entry: Entry = { ...hashes, id, account, ...(note === undefined ? {} : { note }) };
    this.entry = entry;
    add(this.entries, entry);
    this.seen.add(entry);
    const acting = act().then(
      (done) => {
        entry.done = done as IDataObject;
        return done;
      },
      (failure: unknown) => {
        if (mayHaveBeenProcessed(failure)) entry.unknown = reasonOf(failure);
        else this.forget();
        throw failure;
      },
    );
    underWay.set(entry, acting);
    return await acting;
  }

  /** Has a later try know more; only of what was done, or may have been. */
  addToNote(more: RequestNote): void {
    if (this.entry !== undefined) this.entry.note = { ...this.entry.note, ...more };
  }

  /**
   * What is known to have been done, with whatever account: where {@link isElsewhere}, to be told and for
   * nothing else.
   *
   * @throws CallingServiceError as it failed then, when it only may have been done
   */
  async told<T extends object>(): Promise<T> {
    const entry = this.entry as Entry;
    const acting = underWay.get(entry);
    if (acting !== undefined && entry.done === undefined && entry.unknown === undefined) {
      return (await acting) as T;
    }
    if (entry.done !== undefined) return entry.done as T;
    const { kind, message, advice, status, campaignId } = entry.unknown ?? INTERRUPTED;
    throw new CallingServiceError(kind, message, {
      advice,
      mayHaveBeenProcessed: true,
      ...(status === null ? {} : { status }),
      ...(campaignId === null ? {} : { campaignId }),
    });
  }

  /** What was done, or was not, may be asked for again. */
  forget(): void {
    if (this.entry !== undefined) remove(this.entries, this.entry);
    this.entry = undefined;
  }

  private begunMeanwhile(): Entry | undefined {
    const { hashes, seen } = this;
    const same = subjectsOf(this.entries).get(hashes.subject) ?? [];
    const entry = [...same].find((other) => !seen.has(other));
    if (entry === undefined) return undefined;
    seen.add(entry);
    this.isShared = true;
    return entry;
  }
}

/** What is asked for was done before with another account, whose ids mean nothing to this one. */
export class DoneElsewhere extends NothingSent {
  override readonly name = 'DoneElsewhere';
  readonly advice =
    'Nothing was done again: look at what exists there. A new execution does everything with the account that the credential leads to now.';

  /**
   * @param what was done, as the beginning of a sentence
   * @param done the result, to be told and for nothing else
   */
  constructor(
    what: string,
    readonly done?: object,
  ) {
    super(`${what} by an earlier try of this execution with another account`);
  }
}

function resultOf(done: IDataObject | undefined): IDataObject {
  return (done?.result ?? {}) as IDataObject;
}

function idIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : [];
}

/** An earlier try ended while the request was under way. */
const INTERRUPTED = {
  kind: 'cancelled' as const,
  message:
    'An earlier try of this execution ended while the request was under way: it may have been taken',
  advice: 'Look for it in the dashboard of the calling service before you try again.',
  status: null,
  campaignId: null,
};

function reasonOf(failure: unknown): NonNullable<Entry['unknown']> {
  if (failure instanceof CallingServiceError) {
    const { kind, message, advice, status = null, campaignId = null } = failure;
    return { kind, message, advice, status, campaignId };
  }
  return { ...INTERRUPTED, message: errorMessage(failure) };
}
