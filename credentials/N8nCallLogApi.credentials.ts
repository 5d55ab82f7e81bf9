import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestOptions,
  Icon,
  INodeProperties,
} from 'n8n-workflow';

export class N8nCallLogApi implements ICredentialType {
  name = 'n8nCallLogApi';

  displayName = 'Call Log API';

  icon: Icon = {
    light: 'file:../icons/outboundAiCalling.svg',
    dark: 'file:../icons/outboundAiCalling.dark.svg',
  };

  documentationUrl =
    'https://github.com/outbound-ai-calling/n8n-nodes-outbound-ai-calling#call-log';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://localhost:5678/api/v1',
      required: true,
      description: 'Address of the public API of this n8n, as n8n itself can reach it',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description:
        'From Settings > n8n API, with the scopes dataTable:list, dataTable:create, dataTableRow:create, dataTableRow:read and dataTableRow:update',
    },
  ];

  /** A pasted key often brings a line break along, which no header may hold. */
  authenticate = async (
    { apiKey }: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> => ({
    ...request,
    headers: { ...request.headers, 'X-N8N-API-KEY': String(apiKey ?? '').trim() },
  });
}
