import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../clocks';
import { inParts } from '../collections';
import type { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { simulatedOutcome } from '../service/simulatedOutcome';
import { MADE_UP_ID } from '../service/simulatedService';
import { firedItem } from './whatFires';
import { resultOfLook, tooOld } from './lookResult';
import type { AccountSettings } from './settings';
import { endedCall, type OpenCall } from './watch/watch';

const SIDE_BY_SIDE = 5;

/** Finds an ended call, or makes one up. It stores nothing, so the call still fires later. */
export async function findSample(
  service: Pick<CallingService, 'readOutcome'>,
  calls: OpenCall[],
  settings: AccountSettings,
): Promise<IDataObject> {
  for (const some of inParts(calls, SIDE_BY_SIDE)) {
    const items = await Promise.all(some.map(async (call) => await look(call, service, settings)));
    const item = items.find((found) => found !== undefined);
    if (item !== undefined) return item;
  }
  return simulatedSample(settings);
}

function simulatedSample(settings: AccountSettings): IDataObject {
  // A bare id says nothing of the person and the order.
  const order =
    settings.watch === 'orderIds'
      ? {}
      : { customerPhone: '+12025550123', customerName: 'Ada Example', orderNumber: 'A-1042' };
  const call: OpenCall = {
    orderId: MADE_UP_ID,
    ...order,
    placedAt: Date.now() - MINUTE_MS,
    checks: 3,
    nextCheckAt: 0,
  };
  const end = settings.events.includes('outcomeAvailable')
    ? { outcome: simulatedOutcome(settings.simulatedOutcome, call) }
    : tooOld(settings.giveUpAfterMs, 'the call is still in progress');
  const unfiltered = { ...settings, outcomeKeys: [], callStatuses: [] };
  return { ...firedItem({ call, end }, unfiltered), simulated: true };
}

async function look(
  call: OpenCall,
  service: Pick<CallingService, 'readOutcome'>,
  settings: AccountSettings,
): Promise<IDataObject | undefined> {
  const given = await service.readOutcome(call.orderId).catch((failure: unknown) => {
    const isAboutCall = failure instanceof CallingServiceError && failure.kind === 'orderNotFound';
    if (!isAboutCall) throw failure;
    return failure;
  });
  const { giveUpAfterMs } = settings;
  const result = resultOfLook(call, given, { lookedAt: Date.now(), giveUpAfterMs });
  if (result.kind !== 'ended') return undefined;
  return firedItem(endedCall(call, result.end, Date.now()), settings);
}
