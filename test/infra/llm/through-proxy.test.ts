import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import { LlmError } from '../../../infra/llm.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import { answerWith } from '../../support/scripted-endpoint.ts';
import { KEY, startEndpoint } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-proxy-'));
const CERTIFICATE = join(folder, 'cert.pem');
const LOGIN = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
const open: Server[] = [];
/** Tunnels, which a server does not count as its connections. */
const tunnels = new Set<Socket>();

/** A TLS server in front of the endpoint on that port, for the host `models.invalid`, which only the proxy knows. */
let tlsPort: number;
/** Port of the endpoint that the proxy reaches. */
let plainPort: number;
let proxyPort: number;
let targets: string[] = [];

beforeAll(async () => {
  const key = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=models.invalid', '-addext', 'subjectAltName=DNS:models.invalid,IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', CERTIFICATE];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
    stdio: 'pipe',
  });
  const identity = { key: readFileSync(key), cert: readFileSync(CERTIFICATE) };
  tlsPort = await listen(createTlsServer(identity, (incoming, response) => forward(incoming, response)));
  const proxy = createServer((incoming, response) => {
    targets.push(incoming.url ?? '');
    if (isAllowed(incoming, () => response.writeHead(407).end('who are you?'))) forward(incoming, response);
  });
  proxy.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    targets.push(incoming.url ?? '');
    tunnels.add(socket);
    socket.on('error', () => undefined);
    if (!isAllowed(incoming, () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))) return;
    const server = connect(tlsPort, '127.0.0.1', () => {
      tunnels.add(server);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(socket).pipe(server);
    });
    server.on('error', () => socket.destroy());
  });
  proxyPort = await listen(proxy);
});
afterAll(async () => {
  for (const tunnel of tunnels) tunnel.destroy();
  for (const server of open) server.closeAllConnections();
  await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))));
  await removeTree(folder);
});

function isAllowed({ headers }: IncomingMessage, refuse: () => void): boolean {
  const allowed = headers['proxy-authorization'] === LOGIN;
  if (!allowed) refuse();
  return allowed;
}

async function listen(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Passes a request on to the endpoint. */
function forward(incoming: IncomingMessage, response: ServerResponse): void {
  const path = new URL(incoming.url ?? '', 'http://models.invalid').pathname;
  const options = { port: plainPort, host: '127.0.0.1', method: 'POST', path, headers: incoming.headers, agent: false };
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
}

const proxyUrl = (login = 'user:p%40ss@'): string => `http://${login}127.0.0.1:${proxyPort}`;
const REQUEST = { model: 'm', messages: [], temperature: 1, maxTokens: 9, deadlineSeconds: 20 };
const ask = (baseUrl: string, env: Record<string, string>) => {
  targets = [];
  return createOpenAiLlm({ baseUrl, apiKey: KEY, env }).complete(REQUEST, new AbortController().signal);
};
const failOf = (baseUrl: string, env: Record<string, string>): Promise<unknown> =>
  ask(baseUrl, env).catch((error: unknown) => error);

/** Starts the endpoint that the proxy and the TLS server reach. */
async function startBehind() {
  const endpoint = await startEndpoint(answerWith('through'));
  plainPort = endpoint.port;
  return endpoint;
}

describe('an endpoint that only a proxy reaches', () => {
  test('answers over HTTP, and the proxy gets its user and password', async () => {
    const endpoint = await startBehind();
    const answer = await ask('http://models.invalid/v1', { http_proxy: proxyUrl() });
    expect(answer.text).toBe('through');
    expect(targets).toEqual(['http://models.invalid/v1/chat/completions']);
    expect(endpoint.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('answers over HTTPS through a tunnel, with the certificates of SSL_CERT_FILE', async () => {
    await startBehind();
    const env = { HTTPS_PROXY: proxyUrl(), SSL_CERT_FILE: CERTIFICATE };
    expect((await ask('https://models.invalid/v1', env)).text).toBe('through');
    expect(targets).toEqual(['models.invalid:443']);
  });

  test.each([
    ['http', { all_proxy: 'a' }],
    ['https', { https_proxy: 'a' }],
  ])('whose proxy refuses the user is reported without the password: %s', async (scheme, variables) => {
    await startBehind();
    const env = Object.fromEntries(Object.keys(variables).map((name) => [name, proxyUrl('user:hunter2@')]));
    const error = await failOf(`${scheme}://models.invalid/v1`, { ...env, SSL_CERT_FILE: CERTIFICATE });
    expect(error).toMatchObject({ kind: 'refused', status: 407 });
    expect(String(error)).toContain(`(through the proxy http://127.0.0.1:${proxyPort}, `);
    expect(String(error)).toContain('check the user and the password in the address of the proxy');
    expect(String(error)).not.toContain('hunter2');
  });

  test('is down, and its message names the proxy, if the proxy does not answer', async () => {
    const error = await failOf('http://models.invalid/v1', { http_proxy: 'http://me:hunter2@127.0.0.1:1' });
    expect(error).toMatchObject({ kind: 'down' });
    expect(String(error)).toMatch(/through the proxy http:\/\/127\.0\.0\.1:1, http_proxy\).*ECONNREFUSED/);
    expect(String(error)).not.toContain('hunter2');
  });

  test('is refused in words with a proxy that cannot be used', async () => {
    const error = await failOf('http://models.invalid/v1', { http_proxy: 'socks5://me:hunter2@h:1' });
    expect(error).toMatchObject({ kind: 'refused' });
    expect(String(error)).toMatch(/expected http_proxy to be the URL of an HTTP proxy/);
    expect(String(error)).not.toContain('hunter2');
  });
});

test('an endpoint on this machine, or one that no_proxy names, is reached without the proxy', async () => {
  const endpoint = await startBehind();
  expect((await ask(endpoint.url, { http_proxy: proxyUrl(), all_proxy: proxyUrl() })).text).toBe('through');
  expect(targets).toEqual([]);
  const direct = await failOf('http://models.invalid/v1', { http_proxy: proxyUrl(), NO_PROXY: '.invalid' });
  expect(direct).toMatchObject({ kind: 'down' });
  expect(targets).toEqual([]);
});

describe('the certificates of an endpoint', () => {
  test('are those of Node and of SSL_CERT_FILE, also without a proxy', async () => {
    await startBehind();
    const url = `https://127.0.0.1:${tlsPort}/v1`;
    expect((await ask(url, { SSL_CERT_FILE: CERTIFICATE })).text).toBe('through');
    expect(await failOf(url, {})).toMatchObject({ kind: 'refused' });
    expect((await ask(url, { SSL_CERT_FILE: CERTIFICATE, NODE_EXTRA_CA_CERTS: '/nowhere' })).text).toBe('through');
  });

  test('are read again after the file was renewed', async () => {
    await startBehind();
    const file = join(folder, 'renewed.pem');
    writeFileSync(file, String(rootCertificates[0]));
    const url = `https://127.0.0.1:${tlsPort}/v1`;
    expect(await failOf(url, { SSL_CERT_FILE: file })).toMatchObject({ kind: 'refused' });
    copyFileSync(CERTIFICATE, file);
    expect((await ask(url, { SSL_CERT_FILE: file })).text).toBe('through');
  });

  test.each([
    ['is absent', join(folder, 'absent.pem')],
    ['contains none', join(folder, 'empty.pem')],
  ])('are refused in words if the file %s', async (_name, file) => {
    writeFileSync(join(folder, 'empty.pem'), 'no certificate\n');
    const error = await failOf('https://models.invalid/v1', { SSL_CERT_FILE: file });
    expect(error).toBeInstanceOf(LlmError);
    expect(error).toMatchObject({ kind: 'refused' });
    expect(String(error)).toMatch(/SSL_CERT_FILE: expected a file of certificates.*Correct or unset it/);
  });
});
