import { inSlices } from '../../eventLoopSlices';
import type { Contact } from '../../service/campaign';
import { aboutOf, subjectOfCall } from '../call/askedCall';
import { NothingSent } from '../../service/failure';
import type { OperationExecution } from '../execution';
import { waysHeld, type HeldBy } from './loadedContacts';
import type { Plan } from './plan';

const WAS_CALLED =
  'An earlier try of this execution has called this person or scheduled the call, or may have';

type Calls = Pick<OperationExecution, 'memory' | 'context'>;

function areNone({ memory }: Calls): boolean {
  const { customers, scheduled } = memory.setOff;
  return customers.orderIds.length + customers.maybePlaced + scheduled === 0;
}

/** Leaves out people whom earlier tries have called or scheduled, with another operation. */
export async function omitCalled(plan: Plan, execution: Calls): Promise<Plan> {
  if (areNone(execution)) return plan;
  const { memory } = execution;
  const wasCalled = (contact: Contact) =>
    (['call', 'schedule'] as const)
      .flatMap((deed) => memory.claim(subjectOfCall(deed, contact)))
      .some((call) => !call.wasSkipped);
  const leftOut = new Set(plan.skipped.map(({ row }) => row));
  const contacts: Contact[] = [];
  const skipped = [...plan.skipped];
  let row = 0;
  await inSlices(plan.contacts, (contact) => {
    // Every row of the list is either a contact or left out.
    do row++;
    while (leftOut.has(row));
    if (!wasCalled(contact)) return void contacts.push(contact);
    skipped.push({ row, phone: contact.customerPhone, reason: WAS_CALLED });
  });
  return { ...plan, contacts, skipped: skipped.sort((a, b) => a.row - b.row) };
}

const ONE: Record<HeldBy, string> = { people: 'person', orders: 'order' };
const OTHERS: Record<HeldBy, string> = { people: 'order numbers', orders: 'phone numbers' };
const DONE_OTHERWISE: Record<HeldBy, string> = {
  people:
    'If the order numbers come from the clock or by chance, each try has others: take them from your data. A new execution does everything anew.',
  orders:
    'Pause with Campaign > Pause what runs. A new execution calls the whole list at its new numbers.',
};

/**
 * The error of a list with people whom an earlier try has perhaps called under other order numbers, or at other phone
 * numbers.
 *
 * @param done what an earlier try has done with them: `loaded into campaign 7`
 */
export function doneOtherwise(by: HeldBy, count: number, done: string): NothingSent {
  const were = count === 1 ? `1 ${ONE[by]} of this list was` : `${count} ${by} of this list were`;
  return new NothingSent(
    `${were} ${done} by an earlier try of this execution, with other ${OTHERS[by]}`,
    `Nothing was done again. ${DONE_OTHERWISE[by]}`,
  );
}

/**
 * Refuses a list whose people, or orders, earlier tries have called with single calls that no list of this
 * try names: they may be the same calls under other order numbers, or with other phone numbers.
 *
 * @throws NothingSent
 */
export async function refuseCalledOtherwise(contacts: Contact[], execution: Calls): Promise<void> {
  if (areNone(execution)) return;
  const { memory, context } = execution;
  const count = { people: 0, orders: 0 };
  const ways = waysHeld(context);
  const isCalled = (about: unknown) =>
    about !== undefined && memory.unclaimedAbout(about) !== undefined;
  await inSlices(contacts, (asked) => {
    const { person, order } = aboutOf({ asked, isTestCall: false });
    const about = { people: person, orders: order };
    const by = ways.find((way) => isCalled(about[way]));
    if (by !== undefined) count[by]++;
  });
  for (const by of ways) {
    if (count[by] === 0) continue;
    throw doneOtherwise(by, count[by], 'called or scheduled, or may have been,');
  }
}
