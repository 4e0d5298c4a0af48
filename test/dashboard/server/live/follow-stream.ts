import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import type { Served } from '../support.ts';

export interface Message {
  event: string;
  data: { research?: string | null; cursor?: string; message?: string };
}

export interface Tab {
  messages: Message[];
  messagesOf: (research: string | null) => Message[];
  close: () => void;
}

/** Reads the stream as a browser tab does; collects its messages. */
export async function followStream({ port, secretPath, cookie }: Served): Promise<Tab> {
  const sent = request({ host: '127.0.0.1', port, path: secretPath('api/v1/stream'), headers: cookie, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  let text = '';
  const messages: Message[] = [];
  answer.on('error', () => undefined);
  answer.on('data', (more: Buffer) => {
    text += more.toString();
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const found = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end));
      if (found)
        messages.push({
          event: found[1] ?? '',
          data: JSON.parse(found[2] ?? '') as Message['data'],
        });
    }
  });
  const messagesOf = (research: string | null) => messages.filter(({ data }) => data.research === research);
  return { messages, messagesOf, close: () => void sent.destroy() };
}
