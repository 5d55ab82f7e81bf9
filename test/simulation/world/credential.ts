import type { IDataObject } from 'n8n-workflow';
import { API_KEYS } from './service';
import type { Teller } from './teller';

/** What the credential holds with each key. */
const CREDENTIALS = API_KEYS.map((apiKey) =>
  Object.freeze({
    baseUrl: 'http://127.0.0.1:9000',
    apiKey,
    n8nApiKey: 'n8n-key',
    n8nApiUrl: 'http://127.0.0.1:5678/api/v1',
  }),
);

/** The credential of all workflows that have none of their own. */
export class Credential {
  /** Which of the keys it holds. */
  keyInUse: 0 | 1 = 0;
  /** How often the key was exchanged. */
  exchanges = 0;

  constructor(private readonly teller: Teller) {}

  /** What it holds, or a workflow's own one with this key. */
  with(key: 0 | 1 = this.keyInUse): IDataObject {
    return CREDENTIALS[key] as IDataObject;
  }

  /** A person enters the other key. */
  exchange(): void {
    this.keyInUse = this.keyInUse === 0 ? 1 : 0;
    this.exchanges++;
    this.teller.tell('a person', `enters the key ${String(this.with().apiKey)}`);
  }
}
