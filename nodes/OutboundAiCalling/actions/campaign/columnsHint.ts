import type { IExecuteFunctions } from 'n8n-workflow';
import type { FieldUse } from '../../contacts/contact';
import { tellHint } from '../../hints';
import { quoted } from '../../values';

/** At most this many columns of one use are named; the others are counted. */
const COLUMNS_NAMED = 20;

const USES: Array<[FieldUse, string]> = [
  ['phone', 'phone number'],
  ['customerName', 'customer name'],
  ['orderNumber', 'order number'],
  ['orderNotes', 'order notes'],
  ['more', 'script variables'],
  ['ignored', 'ignored'],
];

export function namedColumns(columns: string[]): string {
  const others = columns.length - COLUMNS_NAMED;
  return quoted(columns.slice(0, COLUMNS_NAMED)) + (others > 0 ? ` and ${others} more` : '');
}

/** Shows a hint: what each column of a list is used for. `title`: what these columns are. */
export function tellColumns(
  context: IExecuteFunctions,
  title: string,
  usesByColumn: Map<string, Set<FieldUse>>,
): void {
  const all = [...usesByColumn];
  const used = USES.map(([use, words]) => {
    // A key that only some rows ignore is told by its use.
    const isUsedSo = (uses: Set<FieldUse>) =>
      uses.has(use) && (use !== 'ignored' || uses.size === 1);
    const those = all.filter(([, uses]) => isUsedSo(uses)).map(([column]) => column);
    return those.length === 0 ? '' : `${words}: ${namedColumns(those)}`;
  });
  tellHint(context, `${title}. ${used.filter(Boolean).join('; ')}.`, 'info');
}
