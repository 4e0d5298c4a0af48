import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, ScriptedRequest } from './behaviour.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const HALF = '{"id":"half","object":"chat.completion","choices":[';

/** Carries out a behaviour on a response; returns once there is nothing more to send or the client has gone. */
export async function behave(behaviour: Behaviour, request: ScriptedRequest, response: ServerResponse): Promise<void> {
  if (behaviour.delayMs !== undefined) await sleep(behaviour.delayMs);
  const socket = response.socket;
  if (socket === null || socket.destroyed) return;
  switch (behaviour.kind) {
    case 'answer':
      response.writeHead(200, JSON_HEADERS).end(JSON.stringify(completion(behaviour, request)));
      return;
    case 'status': {
      const { status, body = '', headers = {} } = behaviour;
      const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
      response.writeHead(status, { ...JSON_HEADERS, ...headers }).end(text);
      return;
    }
    case 'silent':
      return;
    case 'stall':
      response.writeHead(200, JSON_HEADERS).write(HALF);
      return;
    case 'trickle':
      await repeat(response, ' ', behaviour.everyMs);
      return;
    case 'flood':
      await repeat(response, ' '.repeat(65_536), 0);
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'cut':
      response.writeHead(200, { ...JSON_HEADERS, 'content-length': '1000' }).write(HALF, () => socket.destroy());
      return;
    case 'noise':
      socket.end('this is not HTTP\r\n\r\n');
      return;
  }
}

async function repeat(response: ServerResponse, text: string, everyMs: number): Promise<void> {
  response.writeHead(200, JSON_HEADERS);
  while (!response.destroyed && response.socket !== null) {
    response.write(text);
    await sleep(everyMs);
  }
}

function completion(answer: Extract<Behaviour, { kind: 'answer' }>, request: ScriptedRequest): object {
  const { text, refusal = null, finishReason = 'stop' } = answer;
  const counted = {
    prompt_tokens: Math.ceil(request.text.length / 4),
    completion_tokens: Math.ceil((text ?? '').length / 4),
  };
  const usage = answer.usage === undefined ? counted : answer.usage;
  return {
    id: `scripted-${request.n}`,
    object: 'chat.completion',
    created: 0,
    model: request.body.model,
    choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content: text, refusal } }],
    ...(usage !== null && { usage }),
  };
}
