import type { IDataObject } from 'n8n-workflow';
import { isRecord, numberOf, textOf } from '../http/json';

/** One turn of a conversation. */
export interface Turn {
  /** `agent`, `customer`, `system`, or whatever else the service names. */
  speaker: string;
  text: string;
  /** Seconds from the start of the call; null when the service gave none. */
  offsetSec: number | null;
}

/** Without a known length: no turn starts so late in seconds, and few calls end so early in ms. */
const LATEST_OFFSET_IN_SECONDS = 1000;

function isInMilliseconds(times: number[], callDurationSec: number | null): boolean {
  const latest = times.reduce((a, b) => Math.max(a, b), 0);
  return callDurationSec !== null && callDurationSec > 0
    ? latest > 2 * callDurationSec
    : latest > LATEST_OFFSET_IN_SECONDS;
}

/**
 * Reads the turns of a conversation. The interface contradicts itself on the unit of `timestamp`
 * ("Transcript turn"): times far beyond the length of the call are milliseconds.
 *
 * @param callDurationSec length of the call in seconds, null when it is not known
 */
export function readTranscript(transcript: unknown, callDurationSec: number | null): Turn[] {
  if (!Array.isArray(transcript)) return [];
  const turns = transcript.filter(isRecord);
  const timeOf = ({ timestamp }: IDataObject) => numberOf(timestamp);
  const times = turns.map(timeOf).filter((time) => time !== null);
  const unit = isInMilliseconds(times, callDurationSec) ? 1000 : 1;
  return turns.map((turn) => {
    const time = timeOf(turn);
    return {
      speaker: textOf(turn.speaker) ?? '',
      text: textOf(turn.text) ?? '',
      offsetSec: time === null ? null : time / unit,
    };
  });
}

/** The conversation as text, one turn a line: `Agent: Hello`. */
export function transcriptText(turns: Turn[]): string {
  return turns
    .map(({ speaker, text }) => `${speaker.charAt(0).toUpperCase()}${speaker.slice(1)}: ${text}`)
    .join('\n');
}
