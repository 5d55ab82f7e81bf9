import type { IDataObject } from 'n8n-workflow';
import type { OutcomeReading } from '../../service/callingService';
import type { Desk } from '../execution';

/** The output for a call that has ended, or for one that goes on. */
export function outcomeItem(
  reading: OutcomeReading,
  orderId: number,
  { present }: Pick<Desk, 'present'>,
): IDataObject {
  const { finished, body } = reading;
  return finished
    ? present({ result: { ...reading.result, finished }, body })
    : present({ result: { orderId, callStatus: 'in_progress', finished }, body });
}
