import { NothingSent } from '../service/failure';

export type DataTableErrorKind =
  | 'keyMissing'
  | 'invalidCredential'
  | 'unreachable'
  | 'tooLong'
  | 'tooLarge'
  | 'keyRefused'
  | 'scopeMissing'
  | 'notN8n'
  | 'noDataTables'
  | 'tableMissing'
  | 'tableAmbiguous'
  | 'columnMissing'
  | 'columnTypeDiffers'
  | 'failing'
  | 'busy'
  | 'full'
  | 'refused';

/** An operation on a data table failed, and nothing was sent to the service. Holds no API key. */
export class DataTableError extends NothingSent {
  override readonly name = 'DataTableError';

  /** @param advice what to do about it, in words for the person who built the workflow */
  constructor(
    readonly kind: DataTableErrorKind,
    message: string,
    advice: string,
  ) {
    super(message, advice);
  }
}

/** These errors may pass by themselves: n8n restarts or limits requests, or a proxy reports that it is down. */
const PASSING = new Set<DataTableErrorKind>(['unreachable', 'notN8n', 'failing', 'busy']);

export function mayPass(error: unknown): boolean {
  return error instanceof DataTableError && PASSING.has(error.kind);
}

/** Returns undefined for a failure of this kind, and throws any other. */
export function undefinedIf(kind: DataTableErrorKind): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof DataTableError && error.kind === kind)) throw error;
  };
}

/** Whether the answer had more than this process reads of one. */
export function isTooLong(error: unknown): boolean {
  return error instanceof DataTableError && error.kind === 'tooLong';
}

/** Whether n8n may have made the change all the same, or may make it later. */
export function mayBeDone(error: unknown): boolean {
  return !(error instanceof DataTableError) || mayPass(error) || isTooLong(error);
}
