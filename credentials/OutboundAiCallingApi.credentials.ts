import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestOptions,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { authenticationHeader } from '../nodes/OutboundAiCalling/service/account';

export class OutboundAiCallingApi implements ICredentialType {
  name = 'outboundAiCallingApi';

  displayName = 'Outbound AI Calling API';

  icon: Icon = {
    light: 'file:../icons/outboundAiCalling.svg',
    dark: 'file:../icons/outboundAiCalling.dark.svg',
  };

  documentationUrl =
    'https://github.com/outbound-ai-calling/n8n-nodes-outbound-ai-calling#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://calls.example.com',
      description: 'Address of the calling service, without /api',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'From the dashboard of the calling service',
    },
    {
      displayName: 'Header Form',
      name: 'headerForm',
      type: 'options',
      options: [
        { name: 'Authorization: Bearer', value: 'bearer' },
        { name: 'X-API-Key', value: 'xApiKey' },
      ],
      default: 'bearer',
      description: 'The header that carries the API key. The service takes either.',
    },
    {
      displayName: 'Path Form',
      name: 'pathForm',
      type: 'options',
      options: [
        { name: 'Versioned (/api/v1/…)', value: 'versioned' },
        { name: 'Unversioned (/api/…)', value: 'unversioned' },
      ],
      default: 'versioned',
      description:
        'The paths that the service answers on. Unversioned paths know single calls only, no campaigns.',
    },
    {
      displayName: 'Allow HTTP',
      name: 'allowHttp',
      type: 'boolean',
      default: false,
      description:
        'Whether to send the API key over unencrypted HTTP to another machine. Anybody on the way can read it then.',
    },
  ];

  /** Adds the API key in the one header form that the credential names. */
  authenticate = async (
    credential: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> => ({
    ...request,
    headers: { ...request.headers, ...authenticationHeader(credential) },
  });
}
