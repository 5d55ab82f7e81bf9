import type { IDataObject } from 'n8n-workflow';
import type { OutgoingRequest } from '../http/transport';
import type { CampaignAction } from './campaign';
import { STATE_AFTER } from './campaignState';
import { CallingService } from './callingService';

/** No service is known to give ids from here to the end. */
const FIRST_ID = 9_000_000_001;
const END_OF_IDS = 10_000_000_000;
const MESSAGE = 'Simulated: nobody was called';

/** One for the process: items, rounds of a loop and executions get different ids. */
let nextId = FIRST_ID;

/** For a call that was never placed, not even in a simulation. */
export const MADE_UP_ID = FIRST_ID;

export function isSimulatedId(id: number): boolean {
  return id >= FIRST_ID && id < END_OF_IDS;
}

function answerTo({ url, body = {} }: OutgoingRequest): IDataObject {
  const control = /\/campaigns\/(\d+)\/control/.exec(url);
  if (control !== null) {
    const action = body.action as CampaignAction;
    const state = STATE_AFTER[action];
    return { campaign_id: Number(control[1]), action: `${action}_campaign`, state };
  }
  if (!url.endsWith('/campaigns')) {
    const script_id = body.scriptId as number;
    return { order_id: nextId++, script_id, call_status: 'in_progress' };
  }
  const { length } = (body as { contacts: unknown[] }).contacts;
  return { campaign_id: nextId++, contact_count: length, state: 'not_started', started: false };
}

/** Accepts everything and calls nobody. */
export function simulatedService(): CallingService {
  const account = { baseUrl: '', host: 'simulated', pathForm: 'versioned' as const };
  return new CallingService(account, async (request) => {
    const body = { success: true, message: MESSAGE, ...answerTo(request) };
    return { status: 200, headers: {}, body };
  });
}
