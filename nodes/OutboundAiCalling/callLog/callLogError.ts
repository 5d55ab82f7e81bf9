/** What can go wrong between this package and the tables that n8n keeps for it. */
export type CallLogErrorKind =
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

/** Something that the call log, or a list kept in a data table, did not do. Never holds an API key. */
export class CallLogError extends Error {
  override readonly name = 'CallLogError';
  /** Whether the calling service may have acted on a request: none was sent to it. */
  readonly taken = 'no';

  /** @param advice what to do about it, in words for the person who built the workflow */
  constructor(
    readonly kind: CallLogErrorKind,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}
