import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The next answer of the model: a call of a tool, or its last text. */
export type Step = { tool: string; input: object } | { text: string };

interface Body {
  tools?: { name: string }[];
  messages?: { content: string | { type: string; content?: unknown }[] }[];
}

export interface ScriptedTools {
  url: string;
  /** Names of the tools that the last request with tools offered. */
  offered: () => string[];
  /** Results of the tools so far, each as JSON. */
  results: () => string[];
  close: () => Promise<void>;
}

/**
 * A model endpoint of Anthropic's Messages that calls tools by name: the answer to a conversation with `n` results of
 * tools is step `n`. Requests that offer no tool, such as those for a title, get a text.
 */
export async function startScriptedTools(steps: readonly Step[]): Promise<ScriptedTools> {
  const seen = { offered: [] as string[], results: [] as string[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const isCall = request.method === 'POST' && /\/v1\/messages(\?|$)/.test(request.url ?? '');
      if (!isCall) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":9}');
        return;
      }
      const body = JSON.parse(text) as Body;
      if ((body.tools ?? []).length === 0) {
        stream(response, { text: 'a title' });
        return;
      }
      seen.offered = (body.tools ?? []).map(({ name }) => name);
      seen.results = resultsIn(body);
      stream(response, steps[seen.results.length] ?? { text: 'That was all.' });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offered: () => seen.offered,
    results: () => seen.results,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const resultsIn = ({ messages = [] }: Body): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.filter(({ type }) => type === 'tool_result').map((result) => JSON.stringify(result.content)),
  );

function stream(response: ServerResponse, step: Step): void {
  const isTool = 'tool' in step;
  const block = isTool
    ? { type: 'tool_use', id: `toolu_${step.tool}`, name: step.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(step.input) }
    : { type: 'text_delta', text: step.text };
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
  };
  const events = [
    { type: 'message_start', message: { ...message, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}
