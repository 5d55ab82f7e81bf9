import type { IDataObject } from 'n8n-workflow';
import { isRecord, numberOf, textOf } from '../http/json';

/** One turn of a conversation. */
export interface Turn {
  /** `agent`, `customer`, `system`, or whatever else the service names. */
  speaker: string;
  text: string;
  /** Seconds from the start of the call; left out where nothing tells them. */
  offsetSec?: number;
}

/** A length may be rounded: a turn that begins so little later is not beyond the call. In seconds. */
const ROUNDING = 1;

/**
 * How many units a second has in the times of a conversation; undefined where nothing tells: the length
 * of the call is not known, or they fit neither unit.
 */
function unitsPerSecond(times: number[], callDurationSec: number | null): number | undefined {
  if (callDurationSec === null || callDurationSec <= 0) return undefined;
  const latest = times.reduce((a, b) => Math.max(a, b), 0);
  return [1, 1000].find((units) => latest / units <= callDurationSec + ROUNDING);
}

/**
 * Reads the turns of a conversation. The interface contradicts itself on the unit of `timestamp`
 * ("Transcript turn"): where one turn lies beyond the call's length, all are in milliseconds.
 *
 * @param callDurationSec length of the call in seconds, null when it is not known
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
