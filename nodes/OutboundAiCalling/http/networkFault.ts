/**
 * A request that got no answer. `noConnection`: it could not leave. `untrusted`: the certificate
 * was refused, before anything was sent. `notSent`: the execution had been cancelled before.
 * `timedOut`, `lost`, `tooLong` (the answer was not read to its end) and `cancelled`: it may have
 * arrived.
 */
export interface NetworkFault {
  fault: 'noConnection' | 'untrusted' | 'timedOut' | 'lost' | 'tooLong' | 'cancelled' | 'notSent';
}

/** The host has no address or refuses connections. `EHOSTUNREACH` can also end a live one. */
const NOT_CONNECTED = /^(ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED)$/;
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);
/**
 * Why Node refuses the certificate of a server, before it sends anything: the verification errors
 * of OpenSSL under the names that Node gives them, and a name that does not fit. Every other error
 * of TLS can come at any time, also after the server has read the request.
 */
const CERTIFICATE_REFUSED = new Set([
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_CRL', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE'],
  ...['UNABLE_TO_DECRYPT_CRL_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'],
  ...['CERT_SIGNATURE_FAILURE', 'CRL_SIGNATURE_FAILURE', 'CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED'],
  ...['CRL_NOT_YET_VALID', 'CRL_HAS_EXPIRED', 'ERROR_IN_CERT_NOT_BEFORE_FIELD'],
  ...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'ERROR_IN_CRL_LAST_UPDATE_FIELD'],
  ...['ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['CERT_CHAIN_TOO_LONG', 'CERT_REVOKED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED'],
  ...['INVALID_PURPOSE', 'CERT_UNTRUSTED', 'CERT_REJECTED', 'HOSTNAME_MISMATCH'],
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The error, its causes, and the attempts that a failed connection to several addresses lists. */
function chainOf(error: unknown, depth = 0): Array<Record<string, unknown>> {
  if (typeof error !== 'object' || error === null || depth > 6) return [];
  const link = error as Record<string, unknown>;
  const { cause, errors } = link;
  const attempts: unknown[] = Array.isArray(errors) ? errors : [];
  return [link, ...[cause, ...attempts].flatMap((next) => chainOf(next, depth + 1))];
}

/** Whether a request can have reached the service: no only with proof. Unknown is `lost`. */
export function faultOf(error: unknown): NetworkFault {
  const chain = chainOf(error);
  const hasCode = (test: (code: string) => boolean) =>
    chain.some(({ code }) => typeof code === 'string' && test(code));
  if (hasCode((code) => code === 'ERR_CANCELED')) return { fault: 'cancelled' };
  const isConnecting = chain.some(
    ({ syscall, name }) =>
      syscall === 'connect' || (typeof name === 'string' && name.startsWith('SsrfBlocked')),
  );
  if (isConnecting || hasCode((code) => NOT_CONNECTED.test(code))) return { fault: 'noConnection' };
  if (hasCode((code) => CERTIFICATE_REFUSED.has(code))) return { fault: 'untrusted' };
  if (hasCode((code) => TIMED_OUT.has(code))) return { fault: 'timedOut' };
  return { fault: 'lost' };
}
