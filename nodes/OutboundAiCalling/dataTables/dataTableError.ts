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

/** Something that could not be done with a data table. Never holds an API key. */
export class DataTableError extends Error {
  override readonly name = 'DataTableError';
  /** Whether the calling service may have acted on a request: none was sent to it. */
  readonly taken = 'no';

  /** @param advice what to do about it, in words for the person who built the workflow */
  constructor(
    readonly kind: DataTableErrorKind,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}
