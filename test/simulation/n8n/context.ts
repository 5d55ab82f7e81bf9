import type {
  ICredentialDataDecryptedObject,
  ICredentialsDecrypted,
  IDataObject,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';
import type { LoadedPackage } from '../world/package';
import { parameterOf, withDefaults } from './parameters';

/** What a context of n8n is made of. */
export interface ContextOptions {
  package: LoadedPackage;
  /** The package gets it as it is now. What it has worked out about it stays true while it is the same. */
  credential(): Readonly<IDataObject>;
  /** Which credential it is; `1` when it is left out. */
  credentialId?: string;
  /** Sends a request that is authenticated already. */
  send(request: IHttpRequestOptions): Promise<unknown>;
  log(level: 'warn' | 'error', message: string): void;
  workflow: { id: string; name: string };
  /** Of the workflow. */
  timezone: string;
  node: {
    id: string;
    name: string;
    type: 'action' | 'trigger';
    isTool?: boolean;
    settings?: Partial<INode>;
  };
  parameters: IDataObject;
}

const TYPES = {
  action: 'n8n-nodes-outbound-ai-calling.outboundAiCalling',
  trigger: 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger',
};

export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function createDeferredPromise<T>(): Deferred<T> {
  const deferred = {} as Deferred<T>;
  deferred.promise = new Promise<T>((resolve, reject) => {
    deferred.resolve = resolve;
    deferred.reject = reject;
  });
  return deferred;
}

/** What the contexts of executions and polls have in common. */
export function commonContext(options: ContextOptions) {
  const { workflow, credential, log } = options;
  const type: INodeType = options.package[options.node.type];
  const node: INode = {
    id: options.node.id,
    name: options.node.name,
    type: `${TYPES[options.node.type]}${options.node.isTool === true ? 'Tool' : ''}`,
    typeVersion: 1,
    position: [0, 0],
    parameters: withDefaults(type, options.parameters),
    credentials: {
      outboundAiCallingApi: { id: options.credentialId ?? '1', name: 'Calling service' },
    },
    ...options.node.settings,
  };
  const parameter = (path: string, item: INodeExecutionData | undefined, fallback: unknown) =>
    parameterOf(node.parameters as IDataObject, path, item, fallback);
  return {
    node,
    parameter,
    context: {
      getNode: () => ({ ...node }),
      getWorkflow: () => ({ ...workflow, active: true }),
      getTimezone: () => options.timezone,
      getWorkflowSettings: () => ({}),
      getInstanceBaseUrl: () => 'http://localhost:5678/',
      getCredentials: async (): Promise<ICredentialDataDecryptedObject> =>
        await Promise.resolve(credential() as ICredentialDataDecryptedObject),
      logger: {
        debug: () => {},
        info: () => {},
        warn: (message: string) => log('warn', message),
        error: (message: string) => log('error', message),
      },
      helpers: {
        createDeferredPromise,
        async httpRequestWithAuthentication(
          _type: string,
          request: IHttpRequestOptions,
          { credentialsDecrypted }: { credentialsDecrypted: ICredentialsDecrypted },
        ): Promise<unknown> {
          const { authenticate } = options.package.credential;
          const data = credentialsDecrypted.data as ICredentialDataDecryptedObject;
          return await options.send(await authenticate(data, request));
        },
      },
    },
  };
}
