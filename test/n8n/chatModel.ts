import fastify from 'fastify';

/** A message of a conversation, as far as the tests look at it. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: unknown;
}

/** What a model is asked ("Create chat completion" of OpenAI's API). */
export interface ChatRequest {
  messages: ChatMessage[];
  tools?: Array<{ function: { name: string; description: string; parameters: unknown } }>;
  stream?: boolean;
}

/** What a model says: an answer, or that it wants tools to be called, at the same time. */
export type ChatReply = { text: string } | { calls: Array<{ tool: string; args: unknown }> };

/** A chat model that says what a script has it say. */
export interface ChatModel {
  /** As an `openAiApi` credential takes it. */
  url: string;
  /** What it was asked, in order. */
  requests: ChatRequest[];
  close(): Promise<void>;
}

function messageOf(reply: ChatReply, id: string) {
  if ('text' in reply) return { role: 'assistant', content: reply.text };
  const calls = reply.calls.map(({ tool, args }, index) => ({
    id: `${id}-${index}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

/**
 * Serves a scripted chat model on loopback.
 *
 * @param replyTo what it says, by what it is asked
 */
export async function startChatModel(
  replyTo: (request: ChatRequest) => ChatReply,
): Promise<ChatModel> {
  const requests: ChatRequest[] = [];
  const server = fastify({ forceCloseConnections: true });
  server.post('/v1/chat/completions', (request, answer) => {
    const asked = request.body as ChatRequest;
    requests.push(asked);
    if (asked.stream === true) return answer.status(400).send({ error: { message: 'No streams' } });
    const reply = replyTo(asked);
    return {
      id: `chat-${requests.length}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: 'scripted',
      choices: [
        {
          index: 0,
          message: messageOf(reply, `call-${requests.length}`),
          finish_reason: 'text' in reply ? 'stop' : 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  });
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${address}/v1`, requests, close: async () => await server.close() };
}
