import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import { withoutKeys } from './withoutKeys';

/** Text for places that the editor renders as HTML: `<` and `&` become spaces. Its sanitizer lets links through. */
export function withoutMarkup(text: string): string {
  return text.replace(/[<&]/g, ' ');
}

export function tellHint(
  context: Pick<IExecuteFunctions, 'addExecutionHints'>,
  text: string,
  type: NonNullable<NodeExecutionHint['type']>,
): void {
  const message = withoutMarkup(withoutKeys(context, text));
  context.addExecutionHints({ message, location: 'outputPane', type });
}
