import { mayName } from '../../contacts/numbersIn';
import { e164sOf } from '../../contacts/person';
import type { DefaultCountry } from '../../contacts/phoneNumber';
import { spelledLike } from '../../contacts/writings';
import { holds, type Condition, type Row } from '../../dataTables/dataTables';
import { dialledIn } from '../placing/loggedRequest';
import { textIn } from '../table/cells';

/** A phone in E.164, and the country of national numbers in the log. */
export interface PhoneInLog {
  phone: string;
  country?: DefaultCountry;
}

/** Whether a row names a person, also one whose phone somebody has corrected. */
export function isOfPhone(row: Row, { phone, country }: PhoneInLog): boolean {
  return (
    mayName(row.customerPhone, phone, country) ||
    e164sOf(phone).some(
      (e164) =>
        dialledIn(row) === e164 ||
        // The usual key; one of a person's own may have the number of somebody else.
        textIn(row.duplicateKey)?.endsWith(`,"${e164}"]`) === true,
    )
  );
}

/** Finds the rows of {@link isOfPhone}, tests in place of that person, and others. Few rows are `rare`. */
export function likePhone(phone: string): { usual: Condition[]; rare: Condition[] } {
  const { usual, rare } = spelledLike(phone);
  const isLike = (pattern: string) => holds('customerPhone', 'like', pattern);
  const named = e164sOf(phone).flatMap((e164) => [
    holds('request', 'like', `%${e164}%`),
    holds('duplicateKey', 'like', `%${e164}%`),
  ]);
  return { usual: usual.map(isLike), rare: [...rare.map(isLike), ...named] };
}
