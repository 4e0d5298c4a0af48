import type { Protocol } from '../../domain/gateway/call.ts';
import { countValues } from '../../domain/gateway/count-values.ts';
import { headersToSend } from '../../domain/gateway/headers.ts';
import { PROTOCOL_RULES } from '../../domain/gateway/protocols.ts';
import { readRequest } from '../../domain/gateway/read-request.ts';
import { PASSED, type Route, routeOf } from '../../domain/gateway/route.ts';
import { type GatewayEndpoint, type GatewayEndpoints, noEndpoint, targetUrl } from './endpoints.ts';
import type { Exchange, GatewayCaller, GatewaySettings } from './exchange.ts';
import { inOrder } from './in-order.ts';
import { passCall } from './pass/call.ts';
import { usageKey, withoutUsage } from './pass/next-step.ts';
import { passQuestion, type Prepared } from './pass/question.ts';
import { readBodyInto } from './read-body.ts';
import { refuse } from './refuse.ts';
import { type GatewaySocket, serveSocket, type SocketOptions } from './serve-socket.ts';

/** Most bytes of a request's body, and of all bodies of one caller at once: a run must not fill a worker's memory. */
const MOST_BODY_BYTES = 32 * 1024 * 1024;
const MOST_HELD_BYTES = 2 * MOST_BODY_BYTES;
/** Most values in the JSON of one body: an empty object of 3 bytes takes a hundred bytes of memory. */
const MOST_VALUES = 200_000;
/** Seconds without a byte from an endpoint: some models think for many minutes. */
const IDLE_SECONDS = 1800;
/** An endpoint that is started again is a pause for an agent. */
const UNREACHABLE_SECONDS = 600;

export interface Gateway {
  /**
   * Answers requests at a unix socket as those of one caller: each model call is a row of that caller's ledger. Throws
   * if the path is too long.
   */
  serve: (path: string, caller: GatewayCaller, options?: SocketOptions) => Promise<GatewaySocket>;
}

/** Makes the way of model calls: it passes them to the endpoints with the worker's keys, and counts them. */
export function createGateway(options: Pick<GatewaySettings, 'endpoints'> & Partial<GatewaySettings>): Gateway {
  const settings: GatewaySettings = {
    env: {},
    log: () => undefined,
    random: Math.random,
    idleSeconds: IDLE_SECONDS,
    unreachableSeconds: UNREACHABLE_SECONDS,
    withoutUsage: new Set(),
    ...options,
  };
  return {
    serve: (path, { ledger, role }, socket) => {
      const caller = { ledger: inOrder(ledger), role };
      const room = { held: 0, mostHeld: MOST_HELD_BYTES, most: MOST_BODY_BYTES };
      return serveSocket(path, (request, response) => answer({ request, response, caller, room }, settings), socket);
    },
  };
}

/** Answers one request. Never rejects. */
async function answer(exchange: Exchange, settings: GatewaySettings): Promise<void> {
  const { response, caller } = exchange;
  try {
    await answerRequest(exchange, settings);
  } catch (error) {
    settings.log(`model gateway: ${caller.role}: ${error instanceof Error ? error.message : String(error)}`);
    refuse(response, { status: 503, code: 'ledger', message: 'the call cannot be recorded now; repeat it' });
    if (!response.writableEnded) response.destroy();
  }
}

async function answerRequest(exchange: Exchange, settings: GatewaySettings): Promise<void> {
  const { request, response } = exchange;
  const { method = '', url = '' } = request;
  const [path = '', query = ''] = url.split('?', 2);
  const route = routeOf(method, path, request.headers['anthropic-version'] !== undefined);
  if (route === null)
    return refuse(response, {
      status: 403,
      code: 'path',
      message: `expected one of: ${PASSED}; got ${method} ${path.slice(0, 100)}`,
    });
  if (route.kind === 'alive') {
    response.writeHead(200).end();
    return;
  }
  const endpoint = endpointOf(route, settings.endpoints);
  if (endpoint === null)
    return refuse(response, { status: 403, code: 'endpoint', message: noEndpoint(protocolOf(route)) });
  const body = await readBody(exchange);
  if (body === null) return;
  const rule = PROTOCOL_RULES[protocolOf(route)];
  const outgoing: Prepared['outgoing'] = {
    url: targetUrl(endpoint, route.target, { query, passed: rule.query }),
    method,
    headers: { ...headersToSend(request.headers), ...(endpoint.key !== null && rule.keyHeader(endpoint.key)) },
  };
  if (route.kind === 'question') return passQuestion(exchange, { endpoint, outgoing, rule, body }, settings);
  if (countValues(body) > MOST_VALUES)
    return refuse(response, {
      status: 413,
      code: 'request',
      message: `expected at most ${MOST_VALUES} values in the body, got more`,
    });
  const sent = body.toString('utf8');
  const read = readRequest(rule, path, sent);
  if (typeof read === 'string') return refuse(response, { status: 400, code: 'request', message: read });
  const { request: call, asksForUsage } = read;
  const prepared = { endpoint, outgoing, rule, call, sent, asksForUsage };
  const isRefused = settings.withoutUsage.has(usageKey(prepared, call.model));
  return passCall(exchange, isRefused ? withoutUsage(prepared) : prepared, settings);
}

const protocolOf = (route: Exclude<Route, { kind: 'alive' }>): Protocol =>
  route.kind === 'call' ? route.rule.name : route.protocol;

const endpointOf = (route: Exclude<Route, { kind: 'alive' }>, endpoints: GatewayEndpoints): GatewayEndpoint | null =>
  endpoints[protocolOf(route)];

/** Reads the body of a request; null if it was refused. */
async function readBody({ request, response, room }: Exchange): Promise<Buffer | null> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    refuse(response, { status: 415, code: 'request', message: `expected a body without compression, got ${encoding}` });
    return null;
  }
  // A connection that breaks off meanwhile has nobody to answer.
  const body = await readBodyInto(room, { request, response }).catch(() => null);
  if (body instanceof Buffer) return body;
  if (body === 'large')
    refuse(response, {
      status: 413,
      code: 'request',
      message: `expected at most ${room.most} bytes of body, got more`,
    });
  if (body === 'full')
    refuse(response, { status: 503, code: 'request', message: 'too many large requests at once; repeat this one' });
  return null;
}
