// A scripted model endpoint: OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini; whole or streamed.
// Its first answer calls the offered shell tool with a command; after the tool's result it says that it is done. Each
// call has 1,000 tokens in (100 of them cached, which Messages reports beside them), 50 out, and 10 of reasoning.
//   node scripted-endpoint.mjs PORT|SOCKET [LOG]
// LOG: a JSON line per request. Variables:
//   STUB_EDIT   command of the answers; {turn} and {call} stand for their numbers
//   STUB_TURNS  number of commands before the last answer (1)     STUB_SAY     text of the last answer
//   STUB_KEY    refuses any other key with 401                    STUB_BODY=1  logs the bodies
//   STUB_WAIT   milliseconds before each answer                   STUB_DELAY   milliseconds between events
//   STUB_429    number of first requests that answer 429          STUB_RETRY_AFTER  seconds of their header
//   STUB_CUT    number of first answers that break off            STUB_GZIP=1  compresses whole answers if accepted
import { once } from 'node:events';
import { appendFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { nextAnswer } from './scripted/plan.mjs';
import { PROTOCOLS, USAGE } from './scripted/protocols.mjs';

export { USAGE };

/**
 * Starts an endpoint at a port of 127.0.0.1 (0: a free one) or a socket. The options are those of the program, by
 * other names; `answer` replaces the answer of a request, see scripted-endpoint.d.mts.
 */
export async function startScriptedEndpoint(options = {}) {
  const { where = 0, log } = options;
  const requests = [];
  const server = http.createServer((request, response) => {
    handle({ request, response }, { options, requests }).catch((error) => {
      if (log !== undefined) write(log, { error: String(error.stack) });
      response.destroy();
    });
  });
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
  if (typeof where === 'string') rmSync(where, { force: true });
  server.listen(typeof where === 'string' ? { path: where } : { port: where, host: '127.0.0.1' });
  await once(server, 'listening');
  const port = typeof where === 'string' ? null : server.address().port;
  return {
    port,
    /** Base URL without `/v1`. */
    url: port === null ? null : `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

const write = (log, line) => appendFileSync(log, `${JSON.stringify({ t: Date.now(), ...line })}\n`);

async function handle({ request, response }, { options, requests }) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const [path, query = ''] = request.url.split('?');
  const seen = recordOf({ request, path, query, text });
  const number = requests.push(seen);
  response.on('close', () => (seen.cut = !response.writableFinished));
  if (options.log !== undefined) {
    const { headers, body, ...line } = seen;
    write(options.log, { ...line, agent: headers['user-agent'], ...(options.logsBodies && { body: body ?? text }) });
  }
  const prepared = options.answer?.(seen, number);
  const wait = prepared?.wait ?? options.wait ?? 0;
  if (wait > 0) await sleep(wait);
  if (prepared?.status !== undefined) return sendAs(response, prepared);
  if (options.key !== undefined && seen.key !== options.key) return send(response, 401, WRONG_KEY);
  if (number <= (options.limited ?? 0))
    return sendAs(response, {
      status: 429,
      headers: { 'retry-after': String(options.retryAfter ?? 1) },
      body: LIMITED,
    });
  const isCut = prepared?.cut ?? number <= (options.cut ?? 0);
  await answer({ seen, response, number }, { ...options, isCut, ...(prepared?.say && { say: prepared.say }) });
}

/** A request as tests compare it. */
function recordOf({ request, path, query, text }) {
  const { headers, method } = request;
  const body = parse(text);
  return {
    method,
    path,
    query,
    key:
      headers.authorization?.replace(/^Bearer /, '') ??
      headers['x-api-key'] ??
      headers['x-goog-api-key'] ??
      new URLSearchParams(query).get('key') ??
      null,
    model: body?.model ?? /\/models\/([^:]+):/.exec(path)?.[1] ?? null,
    stream: body?.stream ?? null,
    tools: (body?.tools ?? []).flatMap(toolNames),
    bytes: Buffer.byteLength(text),
    headers,
    body,
    /** Bytes of the answer that were written so far. */
    written: 0,
    /** True if the connection closed before the end of the answer; null before. */
    cut: null,
  };
}

const toolNames = (tool) =>
  tool.functionDeclarations?.map((each) => each.name) ?? [tool.function?.name ?? tool.name ?? tool.type];

const WRONG_KEY = { error: { message: 'Incorrect API key', type: 'invalid_request_error', code: 'invalid_api_key' } };
const LIMITED = { type: 'error', error: { message: 'Rate limit reached', type: 'rate_limit_error' } };

async function answer({ seen, response, number }, options) {
  const { path, body } = seen;
  const protocol = PROTOCOLS.find((each) => each.path.test(path));
  if (protocol === undefined || body === undefined) return answerOther({ path, response });
  const said = nextAnswer(protocol.read(body), { ...options, call: number });
  const streams = protocol.streams?.(path) ?? body.stream === true;
  if (streams) return stream({ seen, response }, { ...options, events: protocol.events(said, { body, number }) });
  const text = JSON.stringify(protocol.whole(said, { body, number }));
  const packs = options.gzip && /gzip/.test(seen.headers['accept-encoding'] ?? '');
  const bytes = packs ? gzipSync(text) : Buffer.from(text);
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  response.writeHead(200, packs ? { ...headers, 'content-encoding': 'gzip' } : headers);
  if (!options.isCut) return response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

function answerOther({ path, response }) {
  if (path === '/') return send(response, 200, {});
  if (/\/count_tokens$/.test(path)) return send(response, 200, { input_tokens: USAGE.input });
  if (/:countTokens$/.test(path)) return send(response, 200, { totalTokens: USAGE.input });
  const model = { id: 'scripted', object: 'model', created: 0, owned_by: 'scripted' };
  if (/\/models$/.test(path)) return send(response, 200, { object: 'list', data: [model] });
  return send(response, 404, { error: { message: `no such path: ${path}` } });
}

/** Sends events, the first half of them if the answer is to break off. Waits for a slow client. */
async function stream({ seen, response }, { events, delay = 0, isCut }) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of isCut ? events.slice(0, Math.ceil(events.length / 2)) : events) {
    const name = event === undefined ? '' : `event: ${event}\n`;
    const text = `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
    seen.written += Buffer.byteLength(text);
    if (!response.write(text)) await drained(response);
    if (response.destroyed) return;
    if (delay > 0) await sleep(delay);
  }
  // The bytes so far arrive before the connection ends.
  if (isCut) response.write('\n', () => response.destroy());
  else response.end();
}

/** Resolves when a response can take more bytes, or has closed. */
async function drained(response) {
  await new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

const send = (response, status, body) => sendAs(response, { status, body });

function sendAs(response, { status, headers = {}, body = '' }) {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [where = '0', log] = process.argv.slice(2);
  const { env } = process;
  const number = (name) => (env[name] ? Number(env[name]) : undefined);
  const { url } = await startScriptedEndpoint({
    where: /^\d+$/.test(where) ? Number(where) : where,
    log,
    edit: env.STUB_EDIT,
    turns: number('STUB_TURNS'),
    say: env.STUB_SAY,
    key: env.STUB_KEY,
    logsBodies: env.STUB_BODY === '1',
    wait: number('STUB_WAIT'),
    delay: number('STUB_DELAY'),
    limited: number('STUB_429'),
    retryAfter: number('STUB_RETRY_AFTER'),
    cut: number('STUB_CUT'),
    gzip: env.STUB_GZIP === '1',
  });
  console.log(`scripted endpoint at ${url ?? where}`);
}
