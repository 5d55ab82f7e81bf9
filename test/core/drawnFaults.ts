import { startCallingService, type CallingService, type FaultKind } from '../service';
import type { ReceivedRequest, Route } from '../service/seen';
import { fc } from '../generators';

/** A fault that befalls one request to the service: the one after so many on its route. */
export interface DrawnFault {
  fault: FaultKind;
  when: 'before' | 'after';
  nth: number;
  route: Route;
}

const kind = fc.constantFrom<FaultKind>(
  { kind: 'reset' },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 400, body: { success: false, message: 'Refused' } },
  { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  { kind: 'html' },
  { kind: 'json' },
  { kind: 'successFalse' },
);

/** Broken connections, refusals and odd answers on some routes. */
export function drawnFaults(routes: Route[], latest = 20, maxLength = 4) {
  return fc.array(
    fc.record<DrawnFault>({
      fault: kind,
      when: fc.constantFrom('before' as const, 'after' as const),
      nth: fc.integer({ min: 0, max: latest }),
      route: fc.constantFrom(...routes),
    }),
    { maxLength },
  );
}

/**
 * Has these faults befall the requests to come.
 *
 * @param kept is told of every request that a fault has kept from having its effect
 */
export function addFaults(
  service: CallingService,
  faults: DrawnFault[],
  kept: (request: ReceivedRequest) => void = () => undefined,
): void {
  for (const { fault, when, nth, route } of faults) {
    let left = nth;
    // A service that says it refused has refused.
    const isRefusal =
      fault.kind === 'successFalse' || (fault.kind === 'status' && fault.status < 500);
    const isBefore = isRefusal || when === 'before';
    service.faults.add({
      ...fault,
      when: isBefore ? 'before' : 'after',
      route,
      times: 1,
      match: (request) => {
        const isHit = left-- === 0;
        if (isHit && isBefore) kept(request);
        return isHit;
      },
    });
  }
}

/** One emulated service, in which time is short, with these faults. */
export async function serviceWith(faults: DrawnFault[]): Promise<CallingService> {
  const service = await startCallingService({
    speed: 1000,
    scripts: { 7: [], 8: [] },
    answerDelayMs: 2,
    channelPool: 1000,
  });
  addFaults(service, faults);
  return service;
}

/** Waits, for 5 seconds at most. */
export async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!isSo() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 2));
}
