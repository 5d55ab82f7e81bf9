import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { groupBy } from '../../collections';
import { defined } from '../../http/json';
import type { ExecutionNotes } from '../notes';
import { IdempotencyStore, type Entry, type Scope, type StoreUser } from './idempotencyStore';
import { Remembered } from './remembered';
import { hashesOf, hashOf, type Hashes, type RequestIdentity } from './request';
import { createdIn, setOffBy } from './setOff';

type Scopes = Record<string, Scope>;

interface MemoryOptions extends StoreUser {
  /** The fingerprint of the account in use; undefined while nothing is done. */
  account?: string;
  /** A retry by a person is another execution, with the memory of the one that failed. */
  executionId?: string;
  /** The contexts of all nodes of the execution. */
  nodes?: IDataObject[];
  /** Whether a retried execution had come to this node before. */
  hasBegunBefore?: boolean;
  /** The nodes that lead to this one, as one text: a retry may run another version of the workflow. */
  path?: string;
}

/**
 * Remembers what one node has set off within one execution. It lives in the execution's
 * context, which n8n preserves through Retry On Fail and saves with a failed execution. A request
 * is recognised by its content, not by the place of its item: a retry may have other parameters,
 * and an AI agent has no items.
 */
export class ExecutionMemory {
  /** The same for all tries of this execution in this scope. */
  readonly id: string;
  /** Whether a try before this one was made. */
  readonly isRetry: boolean;
  /** Whether it is the memory of an execution that this one retries. */
  readonly isOfRetried: boolean;
  /** Whether n8n has kept nothing of what the retried execution did: it was stopped before it saved that. */
  readonly isLost: boolean;
  /** Facts for later tries, whatever became of the requests. */
  readonly notes: ExecutionNotes;
  private readonly store: IdempotencyStore;
  private readonly otherScopes: Array<[string, Scope]>;
  private othersBySubject:
    Map<string, Array<{ name: string; isOfPath: boolean; entry: Entry }>> | undefined;
  private doubtsInFamily: Set<string> | undefined;
  /** The entries that this try has found or made. */
  private readonly seen: Set<Entry>;
  /** The entries of earlier tries that no request of this try has asked for. */
  private readonly unclaimed: Set<Entry>;

  private readonly path: string | undefined;

  /** @param scope tells apart what may be done again, such as the rounds of a loop */
  constructor(
    private readonly context: IDataObject,
    scope: string,
    private readonly options: MemoryOptions = {},
  ) {
    const { executionId, family, node, hasBegunBefore, path } = options;
    if (context.memory === undefined && hasBegunBefore === true) context.isLost = true;
    // Other failures tell nobody of it: it stays lost until an execution has refused to go on.
    const { isLost = false, lossToldBy = executionId } = context;
    this.isLost = isLost === true && lossToldBy === executionId;
    const scopes = (context.memory ??= {}) as Scopes;
    // A person may retry an execution twice at once, also one that had not come to this round.
    this.isOfRetried = executionId !== (context.begunBy ??= executionId);
    this.isRetry = this.isOfRetried || scopes[scope] !== undefined;
    const own = (scopes[scope] ??= { entries: [], notes: {}, ...defined({ path }) });
    // A round that a retry goes on with was begun by the workflow as it was then.
    this.path = own.path;
    this.otherScopes = Object.entries(scopes).filter(([, one]) => one !== own);
    const name = `${String((context.memoryId ??= randomUUID()))} ${scope}`;
    this.id = hashOf(name);
    this.store = IdempotencyStore.shared(name, own.entries, { family, node });
    own.entries = this.store.entries;
    this.notes = own.notes;
    this.seen = new Set(this.store.entries);
    this.unclaimed = new Set(this.store.entries);
  }

  /** From the next execution on, what is lost is lost no more: a person has heard of it. */
  noteLossTold(): void {
    this.context.lossToldBy = this.options.executionId;
  }

  /** Finds each request's entry of an earlier try: an identical one, or else one about the same subject, each once. */
  recall(requests: RequestIdentity[]): Remembered[] {
    const earlier = new Set(this.store.entries.filter(({ isOver }) => isOver !== true));
    const hashed = requests.map(hashesOf);
    const found = new Map<number, Entry>();
    for (const by of ['content', 'subject'] as const) {
      const waiting = groupBy(earlier, (entry) => entry[by]);
      hashed.forEach((hashes, index) => {
        if (found.has(index)) return;
        const entry = waiting.get(hashes[by])?.shift();
        if (entry === undefined) return;
        found.set(index, entry);
        earlier.delete(entry);
        this.unclaimed.delete(entry);
      });
    }
    return hashed.map((hashes, index) => this.remembered(hashes, found.get(index)));
  }

  /**
   * Something that an earlier try has done about a person or an order, or may have, and that no
   * request of this try asks for. It may be a request of this try under another name.
   *
   * @param otherThan the subject of a request of an agent: what its other requests have begun meanwhile counts too
   */
  unclaimedAbout(personOrOrder: unknown, otherThan?: unknown): Remembered | undefined {
    const hash = hashOf(personOrOrder);
    const isAbout = ({ about, isOver }: Entry) => isOver !== true && about?.includes(hash) === true;
    const meanwhile = otherThan === undefined ? [] : this.begunOtherThan(hashOf(otherThan));
    const entry = [...this.unclaimed, ...meanwhile].find(isAbout);
    return entry && this.remembered(entry, entry);
  }

  private begunOtherThan(subject: string): Entry[] {
    return this.store.entries.filter((one) => !this.seen.has(one) && one.subject !== subject);
  }

  /** Finds everything about one subject that was done, or may have been: it answers a request of this try. */
  claim(subject: unknown): Remembered[] {
    const entries = [...this.store.about(hashOf(subject))];
    for (const entry of entries) this.unclaimed.delete(entry);
    return entries.map((entry) => this.remembered(entry, entry));
  }

  /** Lets everything about one subject be done again, because the current request undoes it. */
  allowAgain(subject: unknown): void {
    this.store.allowAgain(hashOf(subject));
  }

  /** Everything about one subject that earlier tries have done, or may have, the latest last. */
  earlier(subject: unknown): Remembered[] {
    const hash = hashOf(subject);
    const found = this.store.entries.filter((entry) => entry.subject === hash);
    for (const entry of found) this.seen.add(entry);
    return found.map((entry) => this.remembered(entry, entry));
  }

  /**
   * Everything about one subject that was done in other scopes, or may have been.
   *
   * @param isMeant by the name of the scope, and whether the same nodes led to this one then
   */
  inOtherScopes(
    subject: unknown,
    isMeant: (scope: string, isOfPath: boolean) => boolean = () => true,
  ): Remembered[] {
    // All items of a long list ask, and other scopes do nothing meanwhile.
    this.othersBySubject ??= groupBy(
      this.otherScopes.flatMap(([name, { entries, path }]) =>
        entries.map((entry) => ({ name, isOfPath: path === this.path, entry })),
      ),
      ({ entry }) => entry.subject,
    );
    const same = this.othersBySubject.get(hashOf(subject)) ?? [];
    const stands = same.filter(
      ({ name, isOfPath, entry }) => entry.isOver !== true && isMeant(name, isOfPath),
    );
    return stands.map(({ entry }) => this.remembered(entry, entry));
  }

  /** Whether this node may have done something about one subject in another execution of the family, and nobody knows. */
  isInDoubtInFamily(subject: unknown): boolean {
    const { family, node } = this.options;
    this.doubtsInFamily ??= new Set(
      IdempotencyStore.entriesIn({ family, node })
        .filter((entries) => entries !== this.store.entries)
        .flat()
        .filter(({ done, isOver }) => done === undefined && isOver !== true)
        .map((entry) => entry.subject),
    );
    return this.doubtsInFamily.has(hashOf(subject));
  }

  /** The notes of this round of a loop and of all others. */
  get notesOfAllScopes(): ExecutionNotes[] {
    return [this.notes, ...this.otherScopes.map(([, { notes }]) => notes)];
  }

  /** Runs functions one after the other: an agent may ask twice at once. */
  get inTurn(): IdempotencyStore['inTurn'] {
    return this.store.inTurn;
  }

  /** Everything that all tries have set off until now. */
  get setOff() {
    return setOffBy(this.store.entries);
  }

  /** Everything that the rest of the execution, its sub-workflows and its starter have set off. */
  get setOffElsewhere() {
    const related = IdempotencyStore.entriesIn({ family: this.options.family });
    const all = [...this.allEntries, ...related].flat();
    const own = new Set(this.store.entries.map(({ id }) => id));
    // n8n makes copies of a memory for retries.
    const others = new Map(all.map((entry) => [entry.id, entry]));
    return setOffBy([...others.values()].filter(({ id }) => !own.has(id)));
  }

  /** Whether any node and any round of a loop has created this campaign in this execution. */
  hasCreated(campaignId: number): boolean {
    const isOwn = ({ account }: Entry) => account === this.options.account;
    return this.allEntries.some((entries) =>
      entries.some((entry) => isOwn(entry) && createdIn(entry) === campaignId),
    );
  }

  /** The entries of each scope of each node. */
  private get allEntries(): Entry[][] {
    const { nodes = [this.context] } = this.options;
    const scopes = nodes.flatMap(({ memory }) => Object.values(memory as Scopes));
    return scopes.map(({ entries }) => entries);
  }

  /** A request that no other try has made. */
  fresh(request: RequestIdentity): Remembered {
    return this.remembered(hashesOf(request), undefined);
  }

  private remembered(hashes: Hashes, entry: Entry | undefined) {
    return new Remembered(this.store, this.seen, this.options.account, hashes, entry);
  }
}
