import type { IDataObject } from 'n8n-workflow';
import type { OutcomeReading } from '../../service/callingService';

/**
 * The item of a call that has ended, or of one that goes on.
 *
 * @param simplify the tidy form; otherwise the body of the service as it came
 */
export function outcomeItem(
  reading: OutcomeReading,
  orderId: number,
  simplify: boolean,
): IDataObject {
  if (!simplify) return reading.body;
  return reading.finished
    ? ({ ...reading.result, finished: true } as unknown as IDataObject)
    : { orderId, callStatus: 'in_progress', finished: false };
}
