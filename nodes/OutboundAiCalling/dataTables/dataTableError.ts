import { NothingSent } from '../service/failure';

export type DataTableErrorKind =
  | 'keyMissing'
  | 'invalidCredential'
  | 'unreachable'
  | 'tooLong'
  | 'keyRefused'
  | 'scopeMissing'
  | 'notN8n'
  | 'noDataTables'
  | 'tableMissing'
  | 'tableAmbiguous'
  | 'columnMissing'
  | 'columnTypeDiffers'
  | 'failing'
  | 'refused';

/**
 * An operation on a data table failed. Nothing was sent to the calling service. Never holds an API
 * key.
 */
export class DataTableError extends NothingSent {
  override readonly name = 'DataTableError';

  /** @param advice what to do about it, in words for the person who built the workflow */
  constructor(
    readonly kind: DataTableErrorKind,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

/** These errors may pass by themselves: n8n restarts, or a proxy reports that n8n is down. */
const PASSING = new Set<DataTableErrorKind>(['unreachable', 'notN8n', 'failing']);

export function mayPass(error: unknown): boolean {
  return error instanceof DataTableError && PASSING.has(error.kind);
}

/** Whether n8n may have made the change all the same, or may make it later. */
export function mayBeDone(error: unknown): boolean {
  return !(error instanceof DataTableError) || mayPass(error) || error.kind === 'tooLong';
}
