import { NodeOperationError, type IDataObject, type IPollFunctions } from 'n8n-workflow';
import { outcomeKey } from '../service/outcome';

export type TriggerEvent = 'outcomeAvailable' | 'outcomeUnavailable';

/** What the person chose, in milliseconds where the panel says hours or seconds. */
export interface TriggerSettings {
  events: TriggerEvent[];
  watch: 'instance' | 'callLog' | 'orderIds';
  simplify: boolean;
  /** Keys of outcomes to fire for; empty for all. */
  outcomeKeys: string[];
  /** Statuses to fire for, in lower case; empty for all. */
  callStatuses: string[];
  giveUpAfterMs: number;
  firstCheckAfterMs: number;
  fastChecks: boolean;
}

const HOUR_MS = 3_600_000;
/** Bounds that keep a slip of the hand from making a trigger that never gives up or never looks. */
const GIVE_UP_HOURS = { min: 0.01, max: 30 * 24, usual: 24 };
const FIRST_CHECK_SECONDS = { min: 0, max: 24 * 3600, usual: 15 };

function within({ min, max, usual }: typeof GIVE_UP_HOURS, value: unknown): number {
  const number = value === '' || value === null ? NaN : Number(value ?? usual);
  return Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : usual;
}

/** Text separated by commas, or an array from an expression. */
function listOf(value: unknown): string[] {
  const parts: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,\n]/);
  return parts.map((part) => String(part).trim()).filter((part) => part !== '');
}

/**
 * Reads the trigger's parameters.
 *
 * @throws NodeOperationError when no event is chosen: the trigger would never fire
 */
export function readSettings(context: IPollFunctions): TriggerSettings {
  const chosen = context.getNodeParameter('events', ['outcomeAvailable']);
  const events = listOf(chosen) as TriggerEvent[];
  if (events.length === 0) {
    throw new NodeOperationError(context.getNode(), 'No event is chosen', {
      description: 'Choose under "Events" what the trigger fires for.',
    });
  }
  const options = context.getNodeParameter('options', {}) as IDataObject;
  return {
    events,
    watch: context.getNodeParameter('watch', 'instance') as TriggerSettings['watch'],
    simplify: context.getNodeParameter('simplify', true) !== false,
    outcomeKeys: listOf(options.outcomes).map(outcomeKey),
    callStatuses: listOf(options.callStatuses).map((status) => status.toLowerCase()),
    giveUpAfterMs: within(GIVE_UP_HOURS, options.giveUpAfterHours) * HOUR_MS,
    firstCheckAfterMs: within(FIRST_CHECK_SECONDS, options.firstCheckAfterSeconds) * 1000,
    fastChecks: options.fastChecks !== false,
  };
}
