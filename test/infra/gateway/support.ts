import { mkdtempSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { CallAnswer, CallRequest } from '../../../domain/gateway/call.ts';
import { createGateway } from '../../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../../infra/gateway/endpoints.ts';
import type { GatewaySettings } from '../../../infra/gateway/exchange.ts';
import type { GatewaySocket } from '../../../infra/gateway/serve-socket.ts';
import type { CallLedger } from '../../../infra/gateway.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import {
  type ScriptedEndpoint,
  type ScriptedEndpointOptions,
  startScriptedEndpoint,
} from '../../support/agents/scripted-endpoint.mjs';

export const KEY = 'sk-worker-0123456789abcdef';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Calls `close` after the test. */
export const closeAfterTest = (close: () => Promise<void>): void => void closers.push(close);

/** A call as its row has it. */
export interface StoredCall {
  request: CallRequest;
  answer?: CallAnswer;
  error?: string;
}

export interface MemoryLedger extends CallLedger {
  calls: StoredCall[];
  /** Resolves once a call has an answer or an error. */
  ended: (turn: number) => Promise<StoredCall>;
}

/** A ledger in memory; `limit` calls are allowed. */
export function createMemoryLedger(limit = Infinity): MemoryLedger {
  const calls: StoredCall[] = [];
  let onEnd: (() => void)[] = [];
  const end = (turn: number, outcome: Partial<StoredCall>): Promise<void> => {
    Object.assign(calls[turn]!, outcome);
    for (const each of onEnd.splice(0)) each();
    return Promise.resolve();
  };
  return {
    calls,
    begin: (call) =>
      Promise.resolve(
        calls.length >= limit
          ? { refused: 'the budget of this trial is spent' }
          : { turn: calls.push({ request: call }) - 1 },
      ),
    end: (turn, answer) => end(turn, { answer }),
    fail: (turn, error) => end(turn, { error }),
    ended: async (turn) => {
      while (calls[turn]?.answer === undefined && calls[turn]?.error === undefined)
        await new Promise<void>((resolve) => (onEnd = [...onEnd, resolve]));
      return calls[turn];
    },
  };
}

/** Starts an endpoint that only knows the worker's key; closes it after the test. */
export async function startEndpoint(options: ScriptedEndpointOptions = {}): Promise<ScriptedEndpoint> {
  const endpoint = await startScriptedEndpoint({ key: KEY, ...options });
  closeAfterTest(endpoint.close);
  return endpoint;
}

export interface OpenGateway {
  path: string;
  ledger: MemoryLedger;
  socket: GatewaySocket;
  log: string[];
}

/** Serves a gateway that has the endpoint for each protocol; closes it after the test. */
export async function openGateway(
  url: string | null,
  options: Partial<GatewaySettings> & { ledger?: MemoryLedger } = {},
): Promise<OpenGateway> {
  const { ledger = createMemoryLedger(), ...settings } = options;
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-gateway-'));
  const at = { baseUrl: url, apiKey: url === null ? null : KEY };
  const log: string[] = [];
  const endpoints = readEndpoints({ openai: at, anthropic: at, gemini: at });
  const gateway = createGateway({ endpoints, log: (line) => log.push(line), unreachableSeconds: 0, ...settings });
  const path = join(folder, 'llm.sock');
  const socket = await gateway.serve(path, { ledger, role: 'proposer' });
  closeAfterTest(async () => {
    await socket.close();
    await removeTree(folder);
  });
  return { path, ledger, socket, log };
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends a request to a socket and returns the answer when its headers are there. */
export async function begin(
  socketPath: string,
  path: string,
  { method = 'POST', headers = {}, body }: Sent = {},
): Promise<{ outgoing: ClientRequest; answer: IncomingMessage }> {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return await new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method, headers: { connection: 'close', ...headers } });
    outgoing.on('error', reject);
    outgoing.on('response', (answer) => resolve({ outgoing, answer }));
    outgoing.end(text);
  });
}

export interface Received {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Sends a request to a socket and reads the whole answer. */
export async function exchange(socketPath: string, path: string, sent: Sent = {}): Promise<Received> {
  const { answer } = await begin(socketPath, path, sent);
  answer.setEncoding('utf8');
  let body = '';
  for await (const piece of answer) body += piece as string;
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
}

/** A request of each protocol: its path, a body, and the header that a caller puts its key into. */
export const REQUESTS = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: 'Improve it.' }] },
    header: { authorization: 'Bearer sk-callers-own' },
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'm', input: 'Improve it.' },
    header: { authorization: 'Bearer sk-callers-own' },
  },
  messages: {
    path: '/v1/messages?beta=true',
    body: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Improve it.' }] },
    header: { 'x-api-key': 'sk-callers-own' },
  },
  gemini: {
    path: '/v1beta/models/m:generateContent?key=sk-callers-own',
    body: { contents: [{ role: 'user', parts: [{ text: 'Improve it.' }] }] },
    header: { 'x-goog-api-key': 'sk-callers-own' },
  },
} as const;

/** The same request as a stream. */
export function streamed(protocol: keyof typeof REQUESTS): { path: string; body: object } {
  const { path, body } = REQUESTS[protocol];
  if (protocol !== 'gemini') return { path, body: { ...body, stream: true } };
  return { path: '/v1beta/models/m:streamGenerateContent?alt=sse&key=sk-callers-own', body };
}
