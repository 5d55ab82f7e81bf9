import type { IDataObject } from 'n8n-workflow';
import type { CallRequest, FinishedReading, OutcomeReading } from './service/callingService';
import type { Outcome } from './service/outcome';
import { shown, type Presentation } from './presentation';

/** The tidy item of a call that has ended. It has the conversation once, as turns or as text. */
export interface EndedCallOutput
  extends
    Omit<Outcome, 'transcript' | 'transcriptText'>,
    Partial<Pick<Outcome, 'transcript' | 'transcriptText'>> {
  finished: true;
}

export interface OpenCallOutput {
  orderId: number;
  callStatus: 'in_progress';
  finished: false;
  /** Why the last look at the outcome failed. */
  outcomeError?: string;
}

/** The fields of an outcome that a person can select: the tidy form, and the transcript as text. */
export const OUTCOME_FIELDS: ReadonlyArray<keyof EndedCallOutput | keyof Outcome> = [
  'orderId',
  'orderNumber',
  'callStatus',
  'callOutcome',
  'outcomeKey',
  'callDurationSec',
  'totalCallCost',
  'summary',
  'transcript',
  'transcriptText',
  'finished',
];

function tidyOutcome({ result }: FinishedReading, presentation: Presentation): EndedCallOutput {
  const tidy: EndedCallOutput = { ...result, finished: true };
  const isText = presentation.form === 'simplified' && presentation.transcript === 'text';
  delete tidy[isText ? 'transcript' : 'transcriptText'];
  return tidy;
}

/**
 * The item of a call that has ended, or of one that goes on.
 *
 * @param more fields of the tidy form that are known here: the service's own words for them do not
 * count
 */
export function outcomeItem(
  reading: OutcomeReading,
  orderId: number,
  presentation: Presentation,
  more: Pick<CallRequest, 'orderNumber'> & { customerPhone?: string } = {},
): IDataObject {
  const { body } = reading;
  if (reading.finished) {
    const result = { ...tidyOutcome(reading, presentation), ...more };
    const { transcript, transcriptText } = reading.result;
    return shown(presentation, { result, body }, { ...result, transcript, transcriptText });
  }
  if (presentation.form === 'raw') return body;
  // All fields, even when a person selected some: an agent must see that no outcome exists yet.
  const open: OpenCallOutput = { orderId, callStatus: 'in_progress', finished: false };
  return { ...open, ...more };
}
