import type { IDataObject } from 'n8n-workflow';
import type { Part } from '../../contacts/contactList';
import type { Read } from '../../service/callingService';
import type { Campaign } from '../../service/campaign';
import { CallingServiceError } from '../../service/failure';
import type { Desk } from '../execution';
import type { Plan } from './plan';

function nameOfPart(name: string | undefined, { part, parts }: Part): string | undefined {
  if (parts === 1) return name;
  return `${name ?? 'Campaign'} (${part}/${parts})`;
}

/** A campaign that exists, with the part of the list that it holds. */
export interface CreatedPart {
  part: Part;
  read: Read<Campaign>;
}

/** What became of a plan: the campaigns that exist, and what went wrong, when something did. */
export interface Result {
  created: CreatedPart[];
  failure?: unknown;
}

/** Lets a pool without free channels leave a campaign unstarted: it can be started later. */
async function startPart({ read }: CreatedPart, job: string, desk: Desk): Promise<void> {
  const { result } = read;
  const start = async () => await desk.service.controlCampaign(result.campaignId, 'start');
  await desk.ledger.once(`${job} start ${result.campaignId}`, start).then(
    (control) => {
      result.state = control.result.state;
      result.started = true;
      result.message = control.result.message;
    },
    (error: unknown) => {
      if (!(error instanceof CallingServiceError) || error.kind !== 'poolExhausted') {
        return Promise.reject(error);
      }
      result.message = `Created, but not started: ${error.message}. ${error.advice}`;
    },
  );
}

/**
 * Creates all parts, and only then starts them in order: nobody is called from half a list. What
 * was created before a retry of the execution is not created again.
 */
export async function carryOut(plan: Plan, job: string, desk: Desk): Promise<Result> {
  const created: CreatedPart[] = [];
  try {
    for (const part of plan.parts) {
      const name = nameOfPart(plan.name, part);
      const request = {
        ...plan.base,
        contacts: part.contacts,
        ...(name === undefined ? {} : { name }),
      };
      const create = async () => await desk.service.createCampaign(request);
      const read = await desk.ledger.once(`${job} create ${part.part}`, create);
      created.push({ part, read: { ...read, result: { ...read.result } } });
    }
    for (const one of plan.start ? created : []) await startPart(one, job, desk);
    return { created };
  } catch (failure) {
    return { created, failure };
  }
}

/** Names the campaigns that exist after a failure, and how to go on. */
export function existingSentence(created: CreatedPart[]): string {
  if (created.length === 0) return '';
  const named = created.map(
    ({ part: { part, parts }, read: { result } }) =>
      `${part}/${parts} is campaign ${result.campaignId} (${result.state})`,
  );
  return `These parts exist: ${named.join(', ')}. Retrying this execution creates none of them again. A part that is not started dials nobody until you start it with Campaign > Start.`;
}

/** The output for one campaign. */
export function itemOf({ part, read }: CreatedPart, plan: Plan, desk: Desk): IDataObject {
  const listsSkipped = part.part === 1 && plan.skipped.length > 0;
  return desk.present({
    body: read.body,
    result: {
      ...read.result,
      part: part.part,
      parts: part.parts,
      ...(listsSkipped ? { skippedContacts: plan.skipped } : {}),
    },
  });
}
