import type { IDataObject } from 'n8n-workflow';
import pLimit from 'p-limit';
import type { CallingServiceError, FailureDetails } from '../../service/failure';
import type { ExecutionNotes, RequestNote } from '../notes';
import type { Hashes } from './request';

/** Something that was done, or may have been, in a form that n8n can store. */
export interface Entry extends Omit<Hashes, 'isSingle'> {
  /** The same in every copy that n8n makes of the memory. */
  id: string;
  /** The fingerprint of the account with which it was done: its ids are valid only there. */
  account?: string;
  done?: IDataObject;
  /** A later request undid it: it may be done again, and still counts as set off. */
  isOver?: boolean;
  /** Why nobody knows whether it was done. */
  unknown?: Pick<CallingServiceError, 'kind' | 'message'> &
    Pick<FailureDetails, 'advice' | 'status' | 'campaignId' | 'isAccepted'>;
  note?: RequestNote;
}

/** The part of a node's memory for one scope. */
export interface Scope {
  entries: Entry[];
  notes: ExecutionNotes;
  /** The nodes that led to this one when the scope was begun, as one text. */
  path?: string;
}

/** A node of an execution. */
export interface StoreUser {
  /** The name of the family of the execution. */
  family?: string;
  /** The same in all executions of its workflow. */
  node?: string;
}

/** At most this many executions are stored for retries, with at most this many entries in all. */
const MOST_EXECUTIONS = 1_000;
const MOST_ENTRIES = 20_000;

/** The stores of this process by execution and scope; the one used last comes last. */
const stores = new Map<string, IdempotencyStore>();

/** Forgets the executions that were not tried for longest. */
function forgetOldest(): void {
  let all = 0;
  for (const { entries } of stores.values()) all += entries.length;
  for (const [key, { entries }] of stores) {
    if (all <= MOST_ENTRIES && stores.size <= MOST_EXECUTIONS) return;
    all -= entries.length;
    stores.delete(key);
  }
}

/** The store of each list of entries, while that list is in use. */
const storesByEntries = new WeakMap<Entry[], IdempotencyStore>();

/** The entries of all tries of one execution, as n8n stores them, in the order in which their requests began. */
export class IdempotencyStore {
  /** Requests under way in this process, for tries that begin before others have ended. */
  readonly underWay = new WeakMap<Entry, Promise<unknown>>();
  private readonly bySubject = new Map<string, Set<Entry>>();
  /** Runs functions one after the other, each when all earlier ones are done. */
  readonly inTurn = pLimit(1);

  private user: StoreUser = {};

  private constructor(readonly entries: Entry[]) {
    for (const entry of entries) this.noteSubject(entry);
    storesByEntries.set(entries, this);
  }

  /**
   * The store that all retries of an execution share. n8n gives each retry only what was `saved` when
   * that execution failed. A second retry must not repeat what the first has done.
   *
   * @param user who uses it now
   */
  static shared(key: string, saved: Entry[], user: StoreUser = {}): IdempotencyStore {
    const existing = stores.get(key) ?? storesByEntries.get(saved);
    const store = existing ?? new IdempotencyStore(saved);
    if (store.entries !== saved) store.merge(saved);
    store.user = user;
    stores.delete(key);
    stores.set(key, store);
    forgetOldest();
    return store;
  }

  /** The entries of all executions of a family that this process still knows, of all nodes or of one. */
  static entriesIn({ family, node }: StoreUser): Entry[][] {
    if (family === undefined) return [];
    const related = [...stores.values()].filter(
      ({ user }) => user.family === family && (node === undefined || user.node === node),
    );
    return related.map(({ entries }) => entries);
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.noteSubject(entry);
  }

  remove(entry: Entry): void {
    const index = this.entries.lastIndexOf(entry);
    if (index >= 0) this.entries.splice(index, 1);
    this.bySubject.get(entry.subject)?.delete(entry);
  }

  /** Entries about a subject that no later request has undone. */
  about(subject: string): Iterable<Entry> {
    return this.bySubject.get(subject) ?? [];
  }

  allowAgain(subject: string): void {
    for (const entry of this.about(subject)) entry.isOver = true;
    this.bySubject.delete(subject);
  }

  private merge(saved: Entry[]): void {
    const own = new Map(this.entries.map((entry) => [entry.id, entry]));
    for (const entry of saved) {
      const same = own.get(entry.id);
      if (same === undefined) this.add(entry);
      else same.done ??= entry.done;
    }
  }

  private noteSubject(entry: Entry): void {
    if (entry.isOver) return;
    const same = this.bySubject.get(entry.subject) ?? new Set();
    this.bySubject.set(entry.subject, same.add(entry));
  }
}
