import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { sendWithCredential, type AuthenticatedHttp, type Send } from '../http/transport';
import { secretsOf } from './account';

/** Sends to the calling service with an `outboundAiCallingApi` credential. */
export function sendThrough(
  context: AuthenticatedHttp,
  credential: ICredentialDataDecryptedObject,
): Send {
  const type = 'outboundAiCallingApi';
  return sendWithCredential(context, { type, data: credential, secrets: secretsOf(credential) });
}
