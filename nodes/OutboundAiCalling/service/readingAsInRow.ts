import type { IDataObject } from 'n8n-workflow';
import type { FinishedReading } from './callingService';
import type { Outcome } from './outcome';

/** A reading with the outcome that its row says. The service adds only the transcript. */
export function readingAsInRow(reading: FinishedReading, inRow: Outcome): FinishedReading {
  const { transcript, transcriptText } = reading.result;
  const result = { ...inRow, transcript, transcriptText };
  const isSame =
    JSON.stringify(fieldsInRow(result)) === JSON.stringify(fieldsInRow(reading.result));
  return { finished: true, result, body: isSame ? reading.body : bodyLike(result) };
}

function fieldsInRow({ callStatus, outcomeKey, callDurationSec, totalCallCost, summary }: Outcome) {
  return [callStatus, outcomeKey, callDurationSec, totalCallCost, summary];
}

export function bodyLike(outcome: Outcome): IDataObject {
  const { orderId, orderNumber, callStatus, callDurationSec, callOutcome, totalCallCost } = outcome;
  const fields = { orderId, orderNumber, callStatus, callDurationSec, callOutcome, totalCallCost };
  const { summary, transcript } = outcome;
  return { success: true, ...fields, summary, transcript: transcript as unknown as IDataObject[] };
}
