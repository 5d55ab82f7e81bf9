import { inSlices } from '../../contacts/eventLoopSlices';
import type { Contact } from '../../service/campaign';
import { aboutOf, subjectOfCall } from '../call/askedCall';
import { isTool, type OperationExecution } from '../execution';
import { DoneOtherwise } from '../memory/remembered';
import type { Plan } from './plan';

const WAS_CALLED =
  'An earlier try of this execution has called this person or scheduled the call, or may have';

type Calls = Pick<OperationExecution, 'memory' | 'context'>;

function areNone({ memory }: Calls): boolean {
  const { customers, scheduled } = memory.setOff;
  return customers.orderIds.length + customers.maybePlaced + scheduled === 0;
}

/**
 * Leaves out whom earlier tries of the execution have called about this order, with single calls, or may
 * have: their node had another operation. So does a call that was scheduled.
 */
export async function leaveOutCalled(plan: Plan, execution: Calls): Promise<Plan> {
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

/**
 * Refuses a list whose people, or orders, earlier tries have called with single calls that no list of this
 * try names: they may be the same calls under other order numbers, or with other phone numbers.
 *
 * @throws DoneOtherwise
 */
export async function refuseCalledOtherwise(contacts: Contact[], execution: Calls): Promise<void> {
  if (areNone(execution)) return;
  const { memory, context } = execution;
  const count = { person: 0, order: 0 };
  await inSlices(contacts, (asked) => {
    const { person, order } = aboutOf({ asked, isTestCall: false });
    const isCalled = (about: unknown) =>
      about !== undefined && memory.unclaimedAbout(about) !== undefined;
    if (isCalled(person)) count.person++;
    // An agent gives different people the same order number on purpose.
    else if (!isTool(context) && isCalled(order)) count.order++;
  });
  const were = (found: number, one: string, several: string) =>
    `${found === 1 ? `1 ${one} of this list was` : `${found} ${several} of this list were`} called or scheduled, or may have been,`;
  if (count.person > 0) {
    throw new DoneOtherwise(were(count.person, 'person', 'people'), 'order numbers');
  }
  if (count.order > 0) {
    throw new DoneOtherwise(were(count.order, 'order', 'orders'), 'phone numbers');
  }
}
