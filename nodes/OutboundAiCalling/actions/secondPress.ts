import type { IExecuteFunctions } from 'n8n-workflow';
import { personOf } from '../contacts/person';
import { tellHint } from '../hints';
import { isManualExecution } from '../rules/manualExecutions';
import type { JudgedCall } from './call/askedCall';

/** Says in the editor what executing the node again does. */
function tell(context: IExecuteFunctions, consequence: string): void {
  if (!isManualExecution(context)) return;
  tellHint(context, `Executing this node again ${consequence}`, 'info');
}

/** Says that the next execution calls the same people, where a node has neither rules nor a log. */
export function tellCallsAgain(context: IExecuteFunctions, calls: JudgedCall[]): void {
  // With a row, another hint says whom the log knows already.
  const called = calls.filter(
    ({ isDryRun, isTestCall, hasFailed, rules, row }) =>
      !isDryRun && !isTestCall && !hasFailed && rules.areNone && row === undefined,
  );
  const people = new Set(called.map(({ request }) => personOf(request.customerPhone))).size;
  if (people === 0) return;
  const whom = people === 1 ? 'this person' : `these ${people} people`;
  tell(
    context,
    `calls ${whom} again: add "Prevent Duplicates". It knows only calls that were placed with it`,
  );
}

/** Says that the next execution calls the contacts of the started campaigns again. */
export function tellCampaignAgain(context: IExecuteFunctions, contacts: number): void {
  if (contacts === 0) return;
  const whom = contacts === 1 ? 'this person' : `these ${contacts} people`;
  tell(context, `creates another campaign, which calls ${whom} again`);
}
