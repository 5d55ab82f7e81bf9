import type { Answer } from '../http/exchange';
import type { CallingAccount } from './account';
import { bodyOf, notTheService, refuseEcho } from './answers';
import { isStillInProgress, saysOrderNotFound } from './notFound';
import { CallingServiceError } from './failure';
import type { Asked } from './purpose';

/** The service counts ids up; this is the largest that fits if it stores them in 32 bits. */
const ORDER_THAT_CANNOT_EXIST = 2 ** 31 - 1;

type PathForm = CallingAccount['pathForm'];

/**
 * Checks address, path form and key by asking for an order that cannot exist. They are right when
 * the service says in its own words that there is no such order. A 404 alone proves nothing: every
 * website answers with one.
 *
 * @throws CallingServiceError with what is wrong; `wrongPathForm` when the other path form works
 */
export async function checkAccess(
  { host, pathForm }: Pick<CallingAccount, 'host' | 'pathForm'>,
  askOutcome: (orderId: number, pathForm: PathForm) => Promise<Answer>,
): Promise<void> {
  const answer = await askOutcome(ORDER_THAT_CANNOT_EXIST, pathForm);
  const failure = failureOfAccess(answer, { purpose: 'outcome', host });
  if (failure === undefined) return;
  if (answer.status !== 404 && answer.status !== 405) throw failure;
  const other = pathForm === 'versioned' ? 'unversioned' : 'versioned';
  const isThere = await askOutcome(ORDER_THAT_CANNOT_EXIST, other).then(
    saysOrderNotFound,
    () => false,
  );
  if (!isThere) throw failure;
  const name = other === 'versioned' ? 'Versioned' : 'Unversioned';
  throw new CallingServiceError(
    'wrongPathForm',
    `The calling service at ${host} answers on ${other} paths`,
    { advice: `Set "Path Form" to "${name}" in the credential.`, mayHaveBeenProcessed: false },
  );
}

/** What an answer about that order shows to be wrong; undefined when access works. */
function failureOfAccess(answer: Answer, asked: Asked): CallingServiceError | undefined {
  try {
    refuseEcho(answer, asked.purpose, ORDER_THAT_CANNOT_EXIST);
    if (saysOrderNotFound(answer) || isStillInProgress(answer)) return undefined;
    bodyOf(answer, asked);
    return notTheService(answer, asked);
  } catch (error) {
    const refused = error as CallingServiceError;
    // The sentence also mentions the key or the account: advise to check the key, not the order.
    return refused.kind === 'orderNotFound'
      ? new CallingServiceError('unknown', refused.message, {
          status: answer.status,
          mayHaveBeenProcessed: false,
          advice:
            'It does not say clearly whether it accepts the API key. Check the API key and the base URL, or look at your account in the dashboard of the calling service.',
        })
      : refused;
  }
}
