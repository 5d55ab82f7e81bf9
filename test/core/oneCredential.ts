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
  getDecrypted: ICredentialsHelper['getDecrypted'] = async (...given) => {
    const [, , , mode, executeData, , at] = given;
    const data = { ...this.data } as ICredentialDataDecryptedObject;
    if (at === undefined) return data;
    const { expression } = at.workflow;
    const { runExecutionData, runIndex, itemIndex, node, connectionInputData } = at;
    const place = [runExecutionData, runIndex, itemIndex, node.name, connectionInputData] as const;
    return expression.getParameterValue(
      data as never,
      ...place,
      mode,
      {},
      executeData,
      false,
    ) as never;
  };
  updateCredentials = async () => undefined;
  updateCredentialsOauthTokenData = async () => undefined;
  getCredentialsProperties = () => this.type.properties;
}
