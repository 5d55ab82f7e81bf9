import type { IDataObject } from 'n8n-workflow';
import type { CallsPlaced } from '../../nodeError';
import type { Entry } from './idempotencyStore';
import type { Effect } from './request';

export type SetOff = ReturnType<typeof setOffBy>;

/** Calls and campaigns that the tries of an execution have set off so far; `dialling` call people. */
export function setOffBy(entries: Entry[]) {
  const of = (effect: Effect) => entries.filter((entry) => entry.effect === effect);
  const customers = placedBy(of('call'));
  const testCalls = placedBy(of('testCall'));
  const starts = of('dialling');
  const campaigns = of('campaign');
  // A campaign that the service made differently than asked may also run.
  const odd = campaigns.filter(({ unknown }) => typeof unknown?.campaignId === 'number');
  const running = campaigns.filter(({ done }) => resultOf(done).started === true);
  const dialling = [...new Set([...starts, ...running].flatMap(campaignIn))];
  // Nobody knows whether the service has started them by itself.
  const maybeStarted = campaigns.filter(({ done }) => resultOf(done).started === null);
  const unsure = maybeStarted.flatMap(campaignIn).filter((id) => !dialling.includes(id));
  return {
    customers,
    testCalls,
    /** Of all calls. */
    orderIds: [...customers.orderIds, ...testCalls.orderIds],
    maybePlaced: customers.maybePlaced + testCalls.maybePlaced,
    /** How many calls were scheduled, or may have been. */
    scheduled: of('schedule').length,
    dialling,
    /** How many more campaigns may call people. */
    maybeDialling: starts.filter(isOpen).length + odd.length + unsure.length,
  };
}

function placedBy(calls: Entry[]): CallsPlaced {
  return {
    orderIds: calls.flatMap(({ done }) => orderIdIn(done) ?? []),
    maybePlaced: calls.filter(isOpen).length,
  };
}

function isOpen({ done }: Entry): boolean {
  return done === undefined;
}

export function orderIdIn(done: IDataObject | undefined): number | undefined {
  return idIn(resultOf(done).orderId)[0];
}

export function createdIn(entry: Entry): number | undefined {
  return entry.effect === 'campaign' ? campaignIn(entry)[0] : undefined;
}

function campaignIn({ done }: Entry): number[] {
  return idIn(resultOf(done).campaignId);
}

function resultOf(done: IDataObject | undefined): IDataObject {
  return (done?.result ?? {}) as IDataObject;
}

function idIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : [];
}
