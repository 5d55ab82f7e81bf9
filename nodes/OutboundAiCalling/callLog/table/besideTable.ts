import { besideName, besideSuffix } from '../../dataTables/besideName';
import type { Column, DataTable } from '../../dataTables/dataTables';
import type { CallLog } from '../callLog';

/** A cursor says which ends a trigger has handed over. A lock says who may do something. */
export type BesideKind = 'cursor' | 'lock';

export const BESIDE_COLUMNS: Column[] = [
  { name: 'kind', type: 'string' },
  { name: 'workflow', type: 'string' },
  { name: 'account', type: 'string' },
  // Only for a cursor.
  { name: 'trigger', type: 'string' },
  { name: 'position', type: 'number' },
  { name: 'handedOver', type: 'string' },
  // When n8n wrote the newest end that the trigger has seen.
  { name: 'seenUntil', type: 'number' },
  { name: 'giveUpAfterHours', type: 'number' },
  { name: 'polledAt', type: 'number' },
  // Only for a lock: its name, who holds it and until when, as in the log.
  { name: 'name', type: 'string' },
  { name: 'lockedBy', type: 'string' },
  { name: 'lockedUntil', type: 'number' },
  // When an old row was last changed in place; readers of new rows must then read everything again.
  { name: 'rewrittenAt', type: 'number' },
];

/** Finds the table next to a log: in the project of the log, so that all who use the log have the same one. */
export async function findBeside(log: CallLog): Promise<DataTable | undefined> {
  const { tables, tableId, projectId } = log;
  const suffix = besideSuffix(tableId);
  return await tables.find((table) => table.name.endsWith(suffix) && table.projectId === projectId);
}

/** Opens the table next to a log, and creates it when there is none. */
export async function openBeside(log: CallLog): Promise<DataTable> {
  const { tables, name, tableId, projectId } = log;
  const there = await findBeside(log);
  return there ?? (await tables.create(besideName(name, tableId), BESIDE_COLUMNS, projectId));
}
