import type { IExecuteFunctions } from 'n8n-workflow';
import { errorMessage } from '../../nodeError';
import type { Rules } from '../../rules/rules';

/**
 * Gives back the claims of a call's rules. A failure goes to n8n's log alone: the error of the item
 * must say why nobody was called.
 */
export async function giveBack(
  rules: Rules,
  { logger }: Pick<IExecuteFunctions, 'logger'>,
): Promise<void> {
  await rules.giveBack().catch((error: unknown) => {
    logger.error(
      `A duplicate key or a place under a cap could not be given back: ${errorMessage(error)}`,
    );
  });
}
