import type { IDataObject } from 'n8n-workflow';
import type { Objection } from './rule';
import { objectionTold } from './skipped';

/**
 * What an item says where nothing was sent: whether people would be called, and why not.
 *
 * @param told whom or what it is about
 */
export function dryRunItem(
  wouldCall: boolean,
  objection: Objection | undefined,
  told: IDataObject,
): IDataObject {
  const why = objection === undefined ? {} : objectionTold(objection);
  return { dryRun: true, wouldCall: wouldCall && objection === undefined, ...why, ...told };
}
