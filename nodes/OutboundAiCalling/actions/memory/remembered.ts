import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { errorMessage } from '../../nodeError';
import { RuleObjection } from '../../rules/rule';
import { CallingServiceError, mayHaveBeenProcessed, NothingSent } from '../../service/failure';
import type { RequestNote } from '../notes';
import type { Entry, IdempotencyStore } from './idempotencyStore';
import type { Hashes } from './request';
import { orderIdIn } from './setOff';

/** One request, and what any try of the execution has done about it. {@link once} keeps a retry from doing it twice. */
export class Remembered {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly seen: Set<Entry>,
    private readonly account: string | undefined,
    private readonly hashes: Hashes,
    private entry: Entry | undefined,
  ) {}

  /** Whether this try has done it, or may have. */
  isOwn = false;

  /** Looks whether another try has done it, or may have. */
  findEntry(): boolean {
    this.entry ??= this.begunMeanwhile();
    return this.entry !== undefined;
  }

  /** Whether a try with another account has done it, or may have: its ids must not be used. */
  get isElsewhere(): boolean {
    return this.findEntry() && this.entry?.account !== this.account;
  }

  /** The fingerprint of the account with which it was done, or may have been. */
  get madeWith(): string | undefined {
    return this.entry?.account;
  }

  /** Whether a later request undid it. */
  get isOver(): boolean {
    return this.entry?.isOver === true;
  }

  /** Whether another try has done it, or may have: this one does nothing, and only gives the result. */
  get isEarlier(): boolean {
    return this.entry !== undefined && !this.isOwn;
  }

  /** Whether another try, or another request of an agent, is doing it just now in this process. */
  get isUnderWay(): boolean {
    const { entry } = this;
    if (entry === undefined || entry.done !== undefined || entry.unknown !== undefined)
      return false;
    return this.store.underWay.has(entry);
  }

  /** Whether it was done about the same subject, with other content. */
  get isOtherwise(): boolean {
    return this.entry !== undefined && this.entry.content !== this.hashes.content;
  }

  /** The order id of the call, when it was placed with this account. */
  get orderId(): number | undefined {
    if (this.entry?.account !== this.account) return undefined;
    return orderIdIn(this.entry?.done);
  }

  get isTestCall(): boolean {
    return this.hashes.effect === 'testCall';
  }

  /** Whether nobody knows if it was done. */
  get isInDoubt(): boolean {
    return this.entry !== undefined && this.entry.done === undefined;
  }

  /** Whether it was done for nobody: a rule objected to scheduling the call. */
  get wasSkipped(): boolean {
    const { item } = this.note;
    return item !== undefined && 'skipped' in item;
  }

  get note(): RequestNote {
    return this.entry?.note ?? {};
  }

  /**
   * Does something once. When it was done before, returns that result. When it may have been done
   * before, throws that failure again: only a person can find out. When another try, whose rows or
   * rules are its own, ends without having done it, this one does it.
   *
   * @param act its result must survive being stored as JSON
   * @param note what else a later try needs to know, also when nobody knows whether it was done
   * @throws DoneElsewhere when it was done with another account
   * @throws RuleObjection when another item has done it, or may have, and only one may
   */
  async once<T extends object>(act: () => Promise<T>, note?: RequestNote): Promise<T> {
    while (this.findEntry()) {
      const done = await this.earlierResult<T>().catch((failure: unknown) =>
        this.forgetUndone(failure),
      );
      if (done === undefined) continue;
      if (this.isElsewhere) throw new DoneElsewhere('This was done, or may have been,', done);
      return done;
    }
    const { isSingle = false, subject, content, about, effect } = this.hashes;
    // Await nothing between the last look and the entry: no other item may begin there.
    for (let other; isSingle && (other = this.anotherOne()) !== undefined;) {
      await this.store.underWay.get(other)?.catch(() => {});
      if (this.anotherOne() === other) throw new RuleObjection({ reason: 'duplicate' });
    }
    const { account } = this;
    const entry: Entry = { id: randomUUID(), subject, content, about, effect, account, note };
    this.entry = entry;
    this.isOwn = true;
    this.store.add(entry);
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
    this.store.underWay.set(entry, acting);
    return await acting;
  }

  /** Adds to the note for later tries; only when it was done, or may have been. */
  addToNote(more: RequestNote): void {
    if (this.entry !== undefined) this.entry.note = { ...this.entry.note, ...more };
  }

  /**
   * The result of the earlier request, with any account. When {@link isElsewhere}, it may only be
   * reported.
   *
   * @throws CallingServiceError as it failed then, when it only may have been done
   */
  async earlierResult<T extends object>(): Promise<T> {
    const entry = this.entry as Entry;
    if (this.isUnderWay) return (await this.store.underWay.get(entry)) as T;
    if (entry.done !== undefined) return entry.done as T;
    const { kind, message, ...details } = entry.unknown ?? INTERRUPTED;
    throw new CallingServiceError(kind, message, { ...details, mayHaveBeenProcessed: true });
  }

  /** Forgets the entry: the same request may be made again. */
  forget(): void {
    if (this.entry !== undefined) this.store.remove(this.entry);
    this.entry = undefined;
  }

  /** Forgets what another try has surely not done; throws any other failure. */
  private forgetUndone(failure: unknown): undefined {
    if (mayHaveBeenProcessed(failure)) throw failure;
    this.entry = undefined;
  }

  /** The entry of another item about the same subject, done or under way. */
  private anotherOne(): Entry | undefined {
    return this.store.about(this.hashes.subject)[Symbol.iterator]().next().value;
  }

  private begunMeanwhile(): Entry | undefined {
    const { hashes, seen } = this;
    const same = this.store.about(hashes.subject);
    const entry = [...same].find((other) => !seen.has(other));
    if (entry === undefined) return undefined;
    seen.add(entry);
    return entry;
  }
}

/** The request was done before with another account, whose ids are not valid here. */
export class DoneElsewhere extends NothingSent {
  override readonly name = 'DoneElsewhere';

  /** @param what was done, as the beginning of a sentence */
  constructor(
    what: string,
    readonly done?: object,
  ) {
    super(
      `${what} by an earlier try of this execution with another account`,
      'Nothing was done again: look at what exists there. A new execution does everything with the account that the credential leads to now.',
    );
  }
}

/** An earlier try ended while the request was under way. */
const INTERRUPTED: NonNullable<Entry['unknown']> = {
  kind: 'cancelled',
  message:
    'An earlier try of this execution ended while the request was under way: the service may have accepted it',
  advice: 'Look for it in the dashboard of the calling service before you try again.',
};

function reasonOf(failure: unknown): NonNullable<Entry['unknown']> {
  if (failure instanceof CallingServiceError) {
    const { kind, message, advice, status, campaignId, isAccepted } = failure;
    return { kind, message, advice, status, campaignId, ...(isAccepted && { isAccepted }) };
  }
  return { ...INTERRUPTED, message: errorMessage(failure) };
}
