import { parse } from 'csv-parse/sync';
import type { QueuedContact } from './campaign';
import { isBlank, refuse, type Body, type Reply } from './reply';

const MOST_CONTACTS = 2000;

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null;

/** A phone number is text; one without content counts as missing. */
export const phoneOf = (value: unknown): string =>
  typeof value === 'string' && !isBlank(value) ? value : '';

function rowsOf({ contacts, csvText }: Body): unknown[] | Reply {
  if (isBlank(contacts) === isBlank(csvText)) {
    return refuse(400, 'Provide either contacts or csvText');
  }
  if (isBlank(csvText)) {
    return Array.isArray(contacts) ? contacts : refuse(400, 'contacts must be an array');
  }
  try {
    return parse(String(csvText), { columns: true, bom: true, skip_empty_lines: true });
  } catch {
    return refuse(400, 'csvText is not valid CSV');
  }
}

/**
 * The contacts of a create request, from `contacts` or `csvText` ("Create a campaign"). All forms of
 * contact keys are read. A contact without a phone number has an empty `phone`.
 *
 * @returns the contacts, or the answer that refuses them
 */
export function readContacts(body: Body): QueuedContact[] | Reply {
  const rows = rowsOf(body);
  if (!Array.isArray(rows)) return rows;
  if (rows.length === 0) return refuse(400, 'contacts must not be empty');
  if (rows.length > MOST_CONTACTS) {
    return refuse(400, `At most ${MOST_CONTACTS} contacts per campaign`);
  }
  const column = String(body.phoneColumn ?? 'phone_number');
  return rows.map((row) => {
    const fields = isObject(row) ? row : {};
    const phone = isBlank(body.csvText)
      ? (fields.customerPhone ?? fields.phone_number ?? fields.phone)
      : fields[column];
    return { phone: phoneOf(phone), body: fields };
  });
}
