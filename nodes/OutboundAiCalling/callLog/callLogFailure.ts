/** What can go wrong between this package and the call log, in the terms of n8n's data tables. */
export type CallLogFailureKind =
  | 'invalidCredential'
  | 'unreachable'
  | 'keyRefused'
  | 'scopeMissing'
  | 'notN8n'
  | 'tableMissing'
  | 'columnsMissing'
  | 'refused';

/** Something that the call log did not do. Never holds the API key. */
export class CallLogFailure extends Error {
  override readonly name = 'CallLogFailure';

  /** @param advice what to do about it, in words for the person who built the workflow */
  constructor(
    readonly kind: CallLogFailureKind,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}
