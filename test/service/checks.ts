import { refuse, type Reply } from './reply';
import type { Switches } from './switches';

/** What a request lacks, told apart from how and in which order the service says so. */
export interface Lacks {
  phone: boolean;
  variables: string[];
}

/** The first of the 400 answers of "Errors" that a request deserves, once its script is known. */
export function refuseLacking(
  { phone, variables }: Lacks,
  order: Switches['checks'],
): Reply | undefined {
  const noPhone = phone ? refuse(400, 'customerPhone is required') : undefined;
  const noVariables =
    variables.length > 0
      ? refuse(400, `Missing required script variables: ${variables.join(', ')}`)
      : undefined;
  if (order === 'scriptOnly') return noPhone;
  return order === 'variablesFirst' ? (noVariables ?? noPhone) : (noPhone ?? noVariables);
}
