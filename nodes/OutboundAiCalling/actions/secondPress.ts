import type { IExecuteFunctions } from 'n8n-workflow';
import { personOf } from '../contacts/person';
import { tellHint } from '../hints';
import { isManualExecution } from '../rules/manualExecutions';
import type { JudgedCall } from './call/askedCall';

/** Says in the editor how many people are called again when the node is executed again. */
function tell(
  context: IExecuteFunctions,
  people: number,
  consequenceFor: (whom: string) => string,
): void {
  if (people === 0 || !isManualExecution(context)) return;
  const whom = people === 1 ? 'this person' : `these ${people} people`;
  tellHint(context, `Executing this node again ${consequenceFor(whom)}`, 'info');
}

/** Says that the next execution calls the same people, where a node has neither rules nor a log. */
export function tellCallsAgain(context: IExecuteFunctions, calls: JudgedCall[]): void {
  // With a row, another hint says whom the log knows already.
  const called = calls.filter(
    ({ isDryRun, isTestCall, hasFailed, rules, row }) =>
      !isDryRun && !isTestCall && !hasFailed && rules.areNone && row === undefined,
  );
  const people = new Set(called.map(({ request }) => personOf(request.customerPhone))).size;
  const advice = 'add "Prevent Duplicates". It knows only calls that were placed with it';
  tell(context, people, (whom) => `calls ${whom} again: ${advice}`);
}

/** Says that the next execution calls the contacts of the started campaigns again. */
export function tellCampaignAgain(context: IExecuteFunctions, contacts: number): void {
  tell(context, contacts, (whom) => `creates another campaign, which calls ${whom} again`);
}
