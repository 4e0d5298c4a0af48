import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createGateway } from '../../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../../infra/gateway/endpoints.ts';
import type { GatewaySocket } from '../../../infra/gateway/serve-socket.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import { closeAfterTest, createMemoryLedger, KEY, type MemoryLedger, startEndpoint } from './support.ts';

const RELAY = fileURLToPath(new URL('../../../infra/gateway/relay.mjs', import.meta.url));

interface Relay {
  folder: string;
  socket: string;
  url: string;
  port: number;
  child: ChildProcess;
}

/** Starts the relay of a socket that is absent. */
async function startRelay(): Promise<Relay> {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-relay-'));
  const [socket, ready] = [join(folder, 'llm.sock'), join(folder, 'ready')];
  const child = spawn(process.execPath, [RELAY, '0', socket, ready], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const port = Number(readFileSync(ready, 'utf8'));
  expect(line).toBe(`relay ready at 127.0.0.1:${port}\n`);
  closeAfterTest(async () => {
    child.kill('SIGKILL');
    await removeTree(folder);
  });
  return { folder, socket, port, url: `http://127.0.0.1:${port}`, child };
}

/** Serves a gateway at a socket; closes it after the test. */
async function serve(socket: string, url: string | null, ledger: MemoryLedger): Promise<GatewaySocket> {
  const at = { baseUrl: url, apiKey: KEY };
  const gateway = createGateway({ endpoints: readEndpoints({ openai: at, anthropic: at, gemini: at }) });
  const served = await gateway.serve(socket, { ledger, role: 'proposer' });
  closeAfterTest(served.close);
  return served;
}

const post = async (url: string, body: object): Promise<string> => {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  return await response.text();
};
const BODY = { model: 'm', messages: [{ role: 'user', content: 'Improve it.' }] };

test('a gateway that is absent delays a caller, and one that returns serves it', async () => {
  const endpoint = await startEndpoint();
  const relay = await startRelay();
  const ledger = createMemoryLedger();
  const first = post(relay.url, BODY);
  // The relay has dialled in vain by then.
  await new Promise((resolve) => setTimeout(resolve, 600));
  const gateway = await serve(relay.socket, endpoint.url, ledger);
  expect(await first).toMatch('Done: the learning rate is 0.2.');
  await gateway.close();
  const second = post(relay.url, BODY);
  await serve(relay.socket, endpoint.url, ledger);
  expect(await second).toMatch('Done: the learning rate is 0.2.');
  expect(ledger.calls).toHaveLength(2);
});

test('a stream and a body of several MiB pass the relay', async () => {
  const endpoint = await startEndpoint({ say: 'y'.repeat(3_000_000) });
  const relay = await startRelay();
  await serve(relay.socket, endpoint.url, createMemoryLedger());
  const content = 'x'.repeat(5_000_000);
  const text = await post(relay.url, { model: 'm', stream: true, messages: [{ role: 'user', content }] });
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  expect(text.length).toBeGreaterThan(3_000_000);
  expect(endpoint.requests[0]!.bytes).toBeGreaterThan(5_000_000);
});

test('a caller that leaves while it waits is dropped, and its request is not sent', async () => {
  const endpoint = await startEndpoint();
  const relay = await startRelay();
  const ledger = createMemoryLedger();
  const body = JSON.stringify(BODY);
  const caller = connect(relay.port, '127.0.0.1');
  caller.end(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await once(caller, 'close');
  await serve(relay.socket, endpoint.url, ledger);
  expect(await post(relay.url, BODY)).toMatch('Done');
  expect(ledger.calls).toHaveLength(1);
});

test('an answer that breaks off breaks off for the caller, and the relay goes on', async () => {
  const endpoint = await startEndpoint({ cut: 1 });
  const relay = await startRelay();
  await serve(relay.socket, endpoint.url, createMemoryLedger());
  await expect(post(relay.url, { ...BODY, stream: true })).rejects.toThrow('terminated');
  expect(await post(relay.url, { ...BODY, stream: true })).toMatch('[DONE]');
  expect(relay.child.exitCode).toBeNull();
});

test('a port that is taken ends the relay with the reason', async () => {
  const { port, socket } = await startRelay();
  const child = spawn(process.execPath, [RELAY, String(port), socket], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string];
  expect(said).toMatch(/EADDRINUSE/);
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(1);
});
