import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestOptions,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { isForN8n, n8nKeyHeader } from '../nodes/OutboundAiCalling/dataTables/n8nApi';
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

  /** No other node may borrow the keys. */
  restrictToSupportedNodes = true as const;

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://calls.example.com',
      description: 'Address of the calling service. Whether it ends with /api makes no difference.',
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
      description: 'The header that carries the API key. Choose the one that your service accepts.',
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
        'The paths that the service answers on. Unversioned paths offer single calls only, no campaigns.',
    },
    {
      displayName: 'Allow HTTP',
      name: 'allowHttp',
      type: 'boolean',
      default: false,
      description:
        'Whether to send the API keys over unencrypted HTTP to another machine. Anybody on the way can read them then. A proxy that n8n uses (HTTP_PROXY) gets plain HTTP in any case, unless NO_PROXY names the host.',
    },
    {
      displayName: 'n8n API Key',
      name: 'n8nApiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description:
        'Needed only for a call log or a do-not-call list. Create it under Settings > n8n API: choose Scopes "Custom", and tick "Data tables". The documentation names the seven scopes that suffice.',
      hint: 'Choose Expiration "Never": n8n\'s default ends after 30 days, and then nobody is called any more',
    },
    {
      displayName: 'n8n API URL',
      name: 'n8nApiUrl',
      type: 'string',
      default: '',
      placeholder: 'e.g. http://localhost:5678/api/v1',
      description:
        "Address of this n8n's public API, as n8n itself can reach it. Leave empty for this n8n's own address.",
    },
  ];

  /** Requests to n8n get n8n's own key. All others get the calling service's key, in the chosen header form. */
  authenticate = async (
    credential: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> => ({
    ...request,
    headers: {
      ...request.headers,
      ...(isForN8n(request) ? n8nKeyHeader(credential) : authenticationHeader(credential)),
    },
  });
}
