import { jsonParse, type IDataObject } from 'n8n-workflow';
import { isRecord, numberOf, textOf } from '../http/json';

export interface Turn {
  /** `agent`, `customer`, `system`, or any other name that the service gives; empty when it gives none. */
  speaker: string;
  text: string;
  /** Seconds from the start of the call; omitted when there is no time or its unit is unclear. */
  offsetSec?: number;
}

/** A turn may begin this much after the end of the call, in seconds: lengths may be rounded. */
const ROUNDING = 1;

/** No turn begins so long after the end of a call, in seconds: these times are milliseconds. */
const NEVER_AFTER = 300;

/** Times a second: 1 or 1000. Undefined without the length of the call, or when the times do not show it. */
function unitsPerSecond(times: number[], callDurationSec: number | null): number | undefined {
  if (callDurationSec === null || callDurationSec <= 0) return undefined;
  const latest = times.reduce((a, b) => Math.max(a, b), 0);
  const fitsIn = (units: number) => latest / units <= callDurationSec + ROUNDING;
  if (fitsIn(1)) return 1;
  return latest > callDurationSec + NEVER_AFTER && fitsIn(1000) ? 1000 : undefined;
}

/** The turns as records: the service may give a list of texts, JSON, or the conversation as one text. */
function turnsIn(transcript: unknown): IDataObject[] {
  if (typeof transcript === 'string') {
    const parsed = jsonParse<unknown>(transcript, { fallbackValue: null });
    return turnsIn(Array.isArray(parsed) ? parsed : [transcript]);
  }
  if (!Array.isArray(transcript)) return [];
  const turns: unknown[] = transcript.map((turn: unknown) =>
    typeof turn === 'string' && turn.trim() !== '' ? { text: turn } : turn,
  );
  return turns.filter(isRecord);
}

/** The text of a turn, which may come in parts. */
function spokenIn({ text }: IDataObject): string {
  const parts: unknown[] = Array.isArray(text) ? text : [text];
  return parts.flatMap((part) => textOf(part) ?? []).join(' ');
}

/**
 * Reads the turns of a conversation. The interface contradicts itself on the unit of `timestamp`
 * ("Transcript turn"): all times are left out where nothing proves it.
 */
export function readTranscript(transcript: unknown, callDurationSec: number | null): Turn[] {
  const turns = turnsIn(transcript);
  const timeOf = ({ timestamp }: IDataObject) => numberOf(timestamp);
  const times = turns.map(timeOf).filter((time) => time !== null);
  const units = unitsPerSecond(times, callDurationSec);
  return turns.map((turn) => {
    const time = timeOf(turn);
    return {
      speaker: textOf(turn.speaker) ?? '',
      text: spokenIn(turn),
      ...(time === null || units === undefined ? {} : { offsetSec: time / units }),
    };
  });
}

/** The conversation as text, one turn a line: `Agent: Hello`. */
export function transcriptText(turns: Turn[]): string {
  const lines = turns.map(({ speaker, text }) =>
    speaker === '' ? text : `${speaker.charAt(0).toUpperCase()}${speaker.slice(1)}: ${text}`,
  );
  return lines.join('\n');
}
