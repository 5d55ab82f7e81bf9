import { NothingSent } from '../service/failure';

/** What can go wrong between this package and the tables that n8n keeps for it. */
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
 * Something that could not be done with a data table; nothing was sent to the calling service. Never
 * holds an API key.
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
