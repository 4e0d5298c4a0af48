import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The next answer of the model: a call of a tool of the MCP server `perpetua`, or its last text. */
export type Step = { tool: string; input: object } | { text: string };

interface Body {
  tools?: { name: string }[];
  /** Conversation of Messages. */
  messages?: { content: string | { type: string; content?: unknown }[] }[];
  /** Conversation of Responses. */
  input?: { type?: string; output?: unknown }[];
}

export interface ScriptedTools {
  url: string;
  /** Names of the tools that the last request with tools offered. */
  offered: () => string[];
  /** Results of the tools so far, each as JSON. */
  results: () => string[];
  close: () => Promise<void>;
}

/** Name under which agents offer the tools of the server. */
export const NAMESPACE = 'mcp__perpetua';

/**
 * A model endpoint of Anthropic's Messages and OpenAI's Responses that calls tools by name: the answer to a
 * conversation with `n` results of tools is step `n`. Requests that offer no tool, such as those for a title, get a
 * text.
 */
export async function startScriptedTools(steps: readonly Step[]): Promise<ScriptedTools> {
  const seen = { offered: [] as string[], results: [] as string[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, path] = /^\/v1\/(messages|responses)(?:\?|$)/.exec(request.url ?? '') ?? [];
      if (request.method !== 'POST' || path === undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":9,"data":[]}');
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      const eventsOf = path === 'messages' ? messagesEvents : responsesEvents;
      if ((body.tools ?? []).length === 0) {
        stream(response, eventsOf({ text: 'a title' }, 0));
        return;
      }
      seen.offered = (body.tools ?? []).map(({ name }) => name);
      seen.results = resultsIn(body);
      const { length } = seen.results;
      stream(response, eventsOf(steps[length] ?? { text: 'That was all.' }, length));
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

function resultsIn({ messages = [], input = [] }: Body): string[] {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return [
    ...parts.filter(({ type }) => type === 'tool_result').map(({ content }) => JSON.stringify(content)),
    ...input.filter(({ type = '' }) => type.endsWith('_output')).map(({ output }) => JSON.stringify(output)),
  ];
}

type Events = ({ type: string } & Record<string, unknown>)[];

function messagesEvents(step: Step, n: number): Events {
  const isTool = 'tool' in step;
  const call = isTool ? { type: 'tool_use', id: `toolu_${n}`, name: `${NAMESPACE}__${step.tool}`, input: {} } : null;
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
  return [
    { type: 'message_start', message: { ...message, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: call ?? { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function responsesEvents(step: Step, n: number): Events {
  const item =
    'tool' in step
      ? {
          type: 'function_call',
          id: `fc_${n}`,
          call_id: `call_${n}`,
          namespace: NAMESPACE,
          name: step.tool,
          arguments: JSON.stringify(step.input),
          status: 'completed',
        }
      : {
          type: 'message',
          id: `m_${n}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: step.text, annotations: [] }],
        };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const whole = { id: `resp_${n}`, object: 'response', model: 'scripted', status: 'completed', output: [item], usage };
  return [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
}

function stream(response: ServerResponse, events: Events): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}
