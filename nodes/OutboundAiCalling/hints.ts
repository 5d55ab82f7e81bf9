import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

/**
 * Shows a hint above the output of an execution. The editor renders it as HTML, and it may quote
 * text from anywhere: `<` and `&` become spaces.
 */
export function tellHint(
  context: Pick<IExecuteFunctions, 'addExecutionHints'>,
  text: string,
  type: NonNullable<NodeExecutionHint['type']>,
): void {
  const message = text.replace(/[<&]/g, ' ');
  context.addExecutionHints({ message, location: 'outputPane', type });
}
