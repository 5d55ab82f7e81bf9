import type { IDataObject } from 'n8n-workflow';
import { MemoryWatch, OpenCalls } from './openCalls';
import { LONGEST_AGE_MS, placedCalls, type NotedCall, type PlacedCalls } from '../../placedCalls';
import { pause } from '../../http/pause';
import { callsWithId, endedCall, type EndedCall, type OpenCall, type Watch } from './watch';

/** How far one trigger has come in the calls of one account. */
interface WatchProgress {
  readonly open: OpenCalls;
  /** Sequence number of the last call taken over; undefined before the first poll. */
  sequence?: number;
  usedAt: number;
  forgottenReported: number;
}

/** Outlives polls and publications, as long as the process lives. */
const progressByTrigger = new Map<string, WatchProgress>();

/** An execution is no place for a large list: only this many open calls, the newest, are saved. */
export const MOST_SAVED = 1_000;

const SAVED = 'outboundAiCalling ';

interface Saved {
  trigger: string;
  account: string;
  calls: OpenCall[];
  /** In milliseconds since 1970. */
  savedAt: number;
}

/**
 * The calls that were open when n8n last saved them. n8n has them by the node's name, which a person may change, and
 * those of the workflow, which several triggers may save at once: the newest count. A trigger that has replaced another
 * one under its name goes on with the calls of that one.
 */
function savedIn(options: InstanceWatchOptions, now: number): OpenCall[] {
  const { trigger, account, staticData, ofWorkflow, giveUpAfterMs } = options;
  const byName = staticData.open as unknown as Saved | undefined;
  const byId = ofWorkflow[SAVED + trigger] as unknown as Saved | undefined;
  const own = [byName, byId]
    .filter((saved) => saved?.trigger === trigger)
    .sort((one, other) => Number(other?.savedAt) - Number(one?.savedAt))[0];
  const saved = own ?? byName;
  if (saved?.account !== account) return [];
  return own?.calls ?? saved.calls.filter(({ placedAt }) => placedAt > now - giveUpAfterMs);
}

/** Removes what was saved of triggers that have saved nothing for long: most are no longer there. */
function dropOld(ofWorkflow: IDataObject): void {
  const oldest = Date.now() - LONGEST_AGE_MS;
  for (const [name, saved] of Object.entries(ofWorkflow)) {
    if (!name.startsWith(SAVED)) continue;
    if ((saved as unknown as Saved).savedAt < oldest) delete ofWorkflow[name];
  }
}

function progressOf(key: string): WatchProgress {
  const now = Date.now();
  for (const [other, { usedAt }] of progressByTrigger) {
    if (usedAt < now - LONGEST_AGE_MS) progressByTrigger.delete(other);
  }
  const saved = progressByTrigger.get(key) ?? { open: new OpenCalls(), forgottenReported: 0 };
  const progress = Object.assign(saved, { usedAt: now });
  progressByTrigger.set(key, progress);
  return progress;
}

interface InstanceWatchOptions {
  trigger: string;
  /** The fingerprint of the account. */
  account: string;
  firstCheckAfterMs: number;
  giveUpAfterMs: number;
  /** By the node's name. n8n saves it with every execution that the trigger starts. */
  staticData: IDataObject;
  /** That of the whole workflow, which n8n saves with it. */
  ofWorkflow: IDataObject;
}

/**
 * Watches every call that this process placed with one account. Each trigger has its
 * own progress, so every trigger gets every outcome. A new trigger also gets earlier calls whose end
 * no trigger has seen. After a restart, the calls come back that were open when n8n last saved the
 * static data.
 */
export class InstanceWatch extends MemoryWatch implements Watch {
  private readonly progress: WatchProgress;

  constructor(
    private readonly options: InstanceWatchOptions,
    private readonly placed: PlacedCalls = placedCalls,
  ) {
    const progress = progressOf(`${options.trigger} ${options.account}`);
    super(progress.open);
    this.progress = progress;
  }

  newlyForgotten(): number {
    const all = this.placed.forgotten(this.options.account);
    const more = all - this.progress.forgottenReported;
    this.progress.forgottenReported = all;
    return more;
  }

  override async lockDue(now: number, limit: number): Promise<OpenCall[]> {
    this.takeOver(now);
    return await super.lockDue(now, limit);
  }

  override async recordEnds(ended: EndedCall[]): Promise<void> {
    const endedAt = Date.now();
    await super.recordEnds(ended.map(({ call, end }) => endedCall(call, end, endedAt)));
  }

  handingOver(ended: EndedCall[]): void {
    for (const call of callsWithId(ended)) this.open.remove(call);
    this.save();
  }

  async handedOver(ended: EndedCall[]): Promise<void> {
    for (const call of callsWithId(ended)) {
      this.placed.noteEnd(this.options.account, call);
      this.open.remove(call);
    }
  }

  override async notHandedOver(ended: EndedCall[]): Promise<void> {
    await super.notHandedOver(ended);
    this.save();
  }

  /** Rests until that time, or until this process places a call: each call wakes once. */
  async rest(until: number, signal: AbortSignal): Promise<void> {
    if (this.takeOver(Date.now())) return;
    const woken = new AbortController();
    const forget = this.placed.onNote(() => woken.abort());
    await pause(until - Date.now(), AbortSignal.any([signal, woken.signal]));
    forget();
  }

  private save(): void {
    const newest = this.open
      .all()
      .sort((a, b) => a.placedAt - b.placedAt)
      .slice(-MOST_SAVED)
      // The next process reads the end again.
      .map((call) => ({ ...call, unlabelled: undefined }));
    const { account, staticData, ofWorkflow, trigger } = this.options;
    const saved: Saved = { trigger, account, calls: newest, savedAt: Date.now() };
    dropOld(ofWorkflow);
    staticData.open = saved as unknown as IDataObject;
    ofWorkflow[SAVED + trigger] = structuredClone(saved) as unknown as IDataObject;
  }

  /** Takes over the calls that were placed since the last time; returns whether there were any. */
  private takeOver(now: number): boolean {
    const { progress, options } = this;
    const isNew = progress.sequence === undefined;
    // After a restart, the static data holds the calls that were open.
    if (isNew) for (const call of savedIn(options, now)) progress.open.add(call);
    const noted = this.placed.after(options.account, progress.sequence ?? 0);
    for (const call of noted) {
      progress.sequence = call.sequence;
      const isWanted = !isNew || (!call.hasEnded && call.placedAt > now - options.giveUpAfterMs);
      // One that is being looked at goes on at the service: its outcome is that of both.
      if (isWanted && !progress.open.isTaken(call)) {
        progress.open.add(openCallOf(call, options.firstCheckAfterMs));
      }
    }
    progress.sequence ??= 0;
    return noted.length > 0;
  }
}

/** Calls of this process for a sample in the editor, the newest first. Nothing is stored. */
export function samplePlaced(account: string, limit: number): OpenCall[] {
  const newest = placedCalls.after(account, 0).reverse().slice(0, limit);
  return newest.map((call) => openCallOf(call, 0));
}

function openCallOf(placed: NotedCall, firstCheckAfterMs: number): OpenCall {
  const { orderId, callId, customerPhone, customerName, orderNumber } = placed;
  const { placedAt, attempt, retry } = placed;
  const call = { orderId, callId, customerPhone, customerName, orderNumber };
  const times = { placedAt, checks: 0, nextCheckAt: placedAt + firstCheckAfterMs };
  return { ...call, attempt, retry, ...times };
}
