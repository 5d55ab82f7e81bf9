import { readCsv, type DecodedCsv } from '../nodes/OutboundAiCalling/contacts/csv';
import type { RawContact } from '../nodes/OutboundAiCalling/contacts/contact';

/** Everything that is in a CSV, or the objection to it, also when it lies in a later row. */
export function readWholeCsv(
  csv: string | DecodedCsv,
  sliceLength?: number,
): { rows: RawContact[]; columns: string[] } | { objection: string } {
  const reading = readCsv(csv, sliceLength);
  if ('objection' in reading) return reading;
  const rows: RawContact[] = [];
  for (;;) {
    const { done, value } = reading.rows.next();
    if (done !== true) rows.push(value);
    else return value === undefined ? { ...reading, rows } : { objection: value };
  }
}
