import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

/**
 * Tells something above the output of an execution. The editor shows it as HTML: no markup stays in it,
 * whoever has said what it quotes.
 */
export function tellHint(
  context: Pick<IExecuteFunctions, 'addExecutionHints'>,
  text: string,
  type: NonNullable<NodeExecutionHint['type']>,
): void {
  const message = text.replace(/[<&]/g, ' ');
  context.addExecutionHints({ message, location: 'outputPane', type });
}
