import type { IDataObject } from 'n8n-workflow';
import { isRecord, numberOf, textOf } from '../http/json';

export interface Turn {
  /** `agent`, `customer`, `system`, or any other name that the service gives. */
  speaker: string;
  text: string;
  /** Seconds from the start of the call; omitted when there is no time or its unit is unclear. */
  offsetSec?: number;
}

/** A turn may begin this much after the end of the call, in seconds: lengths may be rounded. */
const ROUNDING = 1;

/** Times a second: 1 or 1000. Undefined without the length of the call, or when neither fits. */
function unitsPerSecond(times: number[], callDurationSec: number | null): number | undefined {
  if (callDurationSec === null || callDurationSec <= 0) return undefined;
  const latest = times.reduce((a, b) => Math.max(a, b), 0);
  return [1, 1000].find((units) => latest / units <= callDurationSec + ROUNDING);
}

/**
 * Reads the turns of a conversation. The interface contradicts itself on the unit of `timestamp`
 * ("Transcript turn"): when one turn lies beyond the call's length, all are in milliseconds.
 */
export function readTranscript(transcript: unknown, callDurationSec: number | null): Turn[] {
  if (!Array.isArray(transcript)) return [];
  const turns = transcript.filter(isRecord);
  const timeOf = ({ timestamp }: IDataObject) => numberOf(timestamp);
  const times = turns.map(timeOf).filter((time) => time !== null);
  const units = unitsPerSecond(times, callDurationSec);
  return turns.map((turn) => {
    const time = timeOf(turn);
    return {
      speaker: textOf(turn.speaker) ?? '',
      text: textOf(turn.text) ?? '',
      ...(time === null || units === undefined ? {} : { offsetSec: time / units }),
    };
  });
}

/** The conversation as text, one turn a line: `Agent: Hello`. */
export function transcriptText(turns: Turn[]): string {
  return turns
    .map(({ speaker, text }) => `${speaker.charAt(0).toUpperCase()}${speaker.slice(1)}: ${text}`)
    .join('\n');
}
