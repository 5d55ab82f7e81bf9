import {
  ICredentialsHelper,
  type ICredentialDataDecryptedObject,
  type IDataObject,
  type IHttpRequestOptions,
} from 'n8n-workflow';
import { OutboundAiCallingApi } from '../../credentials/OutboundAiCallingApi.credentials';

/** The part of n8n's credential store that executions and polls need, with our own credential type. */
export class OneCredential extends ICredentialsHelper {
  private readonly type = new OutboundAiCallingApi();

  constructor(private readonly data: IDataObject) {
    super();
  }
  getParentTypes = () => [];
  isCredentialUsableByNode = () => true;
  authenticate = async (
    credential: ICredentialDataDecryptedObject,
    _type: string,
    request: IHttpRequestOptions,
  ) => await this.type.authenticate(credential, request);
  preAuthentication = async () => undefined;
  runPreAuthentication = async () => undefined;
  getCredentials = async () => {
    throw new Error('A node asks for decrypted credentials only');
  };
  getDecrypted = async () => ({ ...this.data }) as ICredentialDataDecryptedObject;
  updateCredentials = async () => undefined;
  updateCredentialsOauthTokenData = async () => undefined;
  getCredentialsProperties = () => this.type.properties;
}
