import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { nextAllowedAt, type CallingHours } from '../../rules/callingHours';
import type { CallRequest, PlacedCall, Read } from '../../service/callingService';
import { CallingServiceError } from '../../service/failure';
import { notePlaced } from '../../placedCalls';
import type { ItemDesk } from '../execution';
import { concurrency, defaultCountry, requestTimeoutSeconds } from '../../fields';
import type { ItemParameters } from '../itemParameters';
import { writeAhead, type LoggedCall } from './callLogging';
import { readCallRequest } from './callRequest';
import {
  callingHours,
  duplicateKey,
  maxCalls,
  outsideCallingHours,
  preventDuplicates,
} from './careFields';

/** The options of the operations that call somebody. */
export const placementOptions: INodeProperties[] = [
  callingHours,
  concurrency,
  defaultCountry,
  duplicateKey,
  maxCalls,
  outsideCallingHours,
  preventDuplicates,
  requestTimeoutSeconds,
];

/** A call that is to be placed, and what has to hold for it. */
export interface Placement {
  request: CallRequest;
  hours: CallingHours | undefined;
  /** Set when the same key must not be called again. */
  duplicateKey: string | undefined;
  /** The row of the call in the call log, when one is kept. */
  logged?: LoggedCall;
}

/** A call that was not placed on purpose. */
export type Skipped = {
  skipped: true;
  reason: 'duplicate' | 'outsideCallingHours';
  customerPhone: string;
  orderNumber?: string;
  /** ISO 8601, UTC. */
  nextAllowedAt?: string;
};

function refuseOutsideHours(parameters: ItemParameters, hours: CallingHours): void {
  const next = nextAllowedAt(new Date(), hours);
  if (next !== undefined && next.getTime() <= Date.now()) return;
  parameters.refuse(
    'Calling Hours',
    `do not allow a call now (timezone ${hours.timezone})`,
    next === undefined ? undefined : `The next allowed time is ${next.toISOString()}.`,
  );
}

/** Reads and checks everything about a call; a mistake never dials. */
export function readPlacement(parameters: ItemParameters): Placement {
  const request = readCallRequest(parameters);
  const hours = parameters.callingHours('options.callingHours.hours');
  if (hours !== undefined && parameters.text('options.outsideCallingHours') === 'fail') {
    refuseOutsideHours(parameters, hours);
  }
  const key = parameters.text('options.duplicateKey');
  return {
    request,
    hours,
    duplicateKey: parameters.flag('options.preventDuplicates')
      ? (key ?? JSON.stringify([request.orderNumber ?? '', request.customerPhone]))
      : undefined,
  };
}

function skip(
  { request: { customerPhone, orderNumber } }: Placement,
  why: Pick<Skipped, 'reason' | 'nextAllowedAt'>,
): Skipped {
  return {
    skipped: true,
    ...why,
    customerPhone,
    ...(orderNumber === undefined ? {} : { orderNumber }),
  };
}

/** Writes the calls of an execution into the call log, when one is kept, before the first. */
export async function logPlacements(
  context: IExecuteFunctions,
  placements: Placement[],
): Promise<void> {
  const rows = await writeAhead(
    context,
    placements.map(({ request }) => request),
  );
  rows?.forEach((row, index) => Object.assign(placements[index] ?? {}, { logged: row }));
}

/**
 * Places a call, unless it was placed before, the hours forbid it, or its key was called before. A
 * key is taken just before the call and given back when the call was surely not placed.
 */
export async function placeCall(
  placement: Placement,
  desk: ItemDesk,
): Promise<Read<PlacedCall> | Skipped> {
  const { logged, request } = placement;
  const placed = await desk
    .inTurn(async () =>
      desk.wasDone() || desk.signal.aborted
        ? await callOnce(placement, desk)
        : ((await reasonToSkip(placement, desk)) ?? (await callOnce(placement, desk))),
    )
    .catch(async (error: unknown) => {
      const isKnown = !(error instanceof CallingServiceError) || error.taken === 'no';
      const reason = error instanceof Error ? error.message : String(error);
      await logged?.write(async (log, entry) =>
        isKnown ? await log.notPlaced(entry, reason) : await log.maybePlaced(entry, reason),
      );
      return await Promise.reject(error);
    });
  if ('skipped' in placed) {
    await logged?.write(async (log, entry) => await log.notPlaced(entry, placed.reason));
    return placed;
  }
  const { orderId } = placed.result;
  desk.notePlaced(orderId);
  const { scriptId, customerPhone, customerName, orderNumber } = request;
  notePlaced(desk.credentialId, {
    orderId,
    scriptId,
    customerPhone,
    ...(customerName === undefined ? {} : { customerName }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
    placedAt: Date.now(),
  });
  await logged?.write(async (log, entry) => await log.placed(entry, orderId));
  return placed;
}

/** The output of a call, which says so when the call log could not be written after it. */
export function withLogProblem(item: IDataObject, { logged }: Placement): IDataObject {
  return logged?.problem === undefined ? item : { ...item, callLogError: logged.problem };
}

async function reasonToSkip(placement: Placement, desk: ItemDesk): Promise<Skipped | undefined> {
  const { hours, duplicateKey: key } = placement;
  const now = new Date();
  const next = hours === undefined ? now : nextAllowedAt(now, hours);
  if (next !== now) {
    return skip(placement, {
      reason: 'outsideCallingHours',
      ...(next === undefined ? {} : { nextAllowedAt: next.toISOString() }),
    });
  }
  const isNew = key === undefined || (await desk.duplicates.claim(key));
  return isNew ? undefined : skip(placement, { reason: 'duplicate' });
}

async function callOnce(placement: Placement, desk: ItemDesk): Promise<Read<PlacedCall>> {
  const { request, duplicateKey: key } = placement;
  const isAborted = desk.signal.aborted;
  return await desk
    .once(async () => await desk.service.triggerCall(request))
    .catch(async (error: unknown) => {
      const surelyNot = error instanceof CallingServiceError && error.taken === 'no';
      if (key !== undefined && surelyNot && !isAborted) await desk.duplicates.release(key);
      return await Promise.reject(error);
    });
}
