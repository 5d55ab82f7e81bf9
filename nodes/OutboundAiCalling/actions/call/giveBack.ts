import type { IExecuteFunctions } from 'n8n-workflow';
import { errorMessage } from '../../nodeError';
import type { Rules } from '../../rules/rules';

/**
 * Gives back what the rules of a call have claimed. That it could not be is told in n8n's log alone:
 * the person must learn why nobody was called.
 */
export async function giveBack(
  rules: Rules,
  { logger }: Pick<IExecuteFunctions, 'logger'>,
): Promise<void> {
  await rules.giveBack().catch((error: unknown) => {
    logger.error(`What a rule had claimed could not be given back: ${errorMessage(error)}`);
  });
}
