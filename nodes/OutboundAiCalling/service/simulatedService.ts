import type { IDataObject } from 'n8n-workflow';
import type { OutgoingRequest } from '../http/transport';
import type { CampaignAction } from './campaign';
import { STATE_AFTER } from './campaignState';
import { CallingService } from './callingService';

/** No service is known to give ids from here to the end. */
const FIRST_ID = 9_000_000_001;
const END_OF_IDS = 10_000_000_000;
const MESSAGE = 'Simulated: nobody was called';

export function isSimulatedId(id: number): boolean {
  return id >= FIRST_ID && id < END_OF_IDS;
}

function answerTo(id: number, { url, body = {} }: OutgoingRequest): IDataObject {
  const control = /\/campaigns\/(\d+)\/control$/.exec(url);
  if (control !== null) {
    const action = body.action as CampaignAction;
    const state = STATE_AFTER[action];
    return { campaign_id: Number(control[1]), action: `${action}_campaign`, state };
  }
  if (!url.endsWith('/campaigns')) {
    return { order_id: id, script_id: body.scriptId as number, call_status: 'in_progress' };
  }
  const { contacts } = body as { contacts: unknown[] };
  return { campaign_id: id, contact_count: contacts.length, state: 'not_started', started: false };
}

/** Accepts everything and calls nobody. Each `item` (an index or row id) gets ids of its own. */
export function simulatedService(item = 0): CallingService {
  let nextId = FIRST_ID + item;
  const account = { baseUrl: '', host: 'simulated', pathForm: 'versioned' as const };
  return new CallingService(account, async (request) => {
    const body = { success: true, message: MESSAGE, ...answerTo(nextId++, request) };
    return { status: 200, headers: {}, body };
  });
}
