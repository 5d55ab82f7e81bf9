import pLimit from 'p-limit';
import type { CallingService, OutcomeReading } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { SHORTEST_INTERVAL_MS } from './lookTimes';

/** At most this many outcomes are asked for at once in a lane. */
const READ_AT_ONCE = 10;

/** Reads an outcome, or returns the failure; undefined when the service was not asked: `isWanted` is asked just before. */
export type ReadOutcome = (
  orderId: number,
  isWanted?: () => boolean,
) => Promise<OutcomeReading | CallingServiceError | undefined>;

/** Asks for outcomes during one poll, also for transcripts again. A rate limit holds for all. */
export class OutcomeReader {
  /** No request leaves before then, in milliseconds since 1970: the service limits the rate of requests. */
  quietUntil = 0;

  constructor(private readonly service: Pick<CallingService, 'readOutcome'>) {}

  /** A lane of requests that wait for each other only: many transcripts do not hold up looks. */
  lane(): ReadOutcome {
    const limit = pLimit(READ_AT_ONCE);
    return async (orderId, isWanted = () => true) =>
      await limit(async () => {
        if (!isWanted() || this.quietUntil > Date.now()) return undefined;
        return await this.service.readOutcome(orderId).catch((failure: unknown) => {
          if (!(failure instanceof CallingServiceError)) throw failure;
          if (failure.kind === 'rateLimited') {
            const quietMs = Math.max(SHORTEST_INTERVAL_MS, (failure.retryAfterSeconds ?? 0) * 1000);
            this.quietUntil = Math.max(this.quietUntil, Date.now() + quietMs);
          }
          return failure;
        });
      });
  }
}
