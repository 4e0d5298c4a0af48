import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CallAnswer } from '../../domain/gateway/call.ts';
import type { CallLedger } from '../gateway.ts';
import type { Gateway } from '../gateway/create-gateway.ts';
import type { CheckedCall, CheckGateway } from './check-agent.ts';

/** Most calls of one check: an agent that goes in circles ends. */
const MOST_CALLS = 20;

/**
 * Serves a gateway on this machine for one check, with a ledger in memory. A port of this machine is open to all its
 * users, so the URL holds a secret.
 */
export async function openCheckGateway(gateway: Gateway): Promise<CheckGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-gate-'));
  const path = join(folder, 'socket');
  const { ledger, calls } = memoryLedger();
  const socket = await gateway.serve(path, { ledger, role: 'proposer' }, { mode: 0o600 });
  const secret = `/${randomBytes(16).toString('hex')}`;
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (!url.startsWith(`${secret}/`)) response.writeHead(403).end();
    else pass({ request, response }, { path, target: url.slice(secret.length) }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${secret}`,
    calls,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await socket.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Passes a request to the socket, and the answer back. */
async function pass(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { path, target }: { path: string; target: string },
): Promise<void> {
  const { method = '', headers } = request;
  const outgoing = send({ socketPath: path, path: target, method, headers });
  response.on('close', () => outgoing.destroy());
  const answered = once(outgoing, 'response');
  await pipeline(request, outgoing);
  const [answer] = (await answered) as [IncomingMessage];
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}

function memoryLedger(): { ledger: CallLedger; calls: () => CheckedCall[] } {
  const answers = new Map<number, CallAnswer | { error: string }>();
  let turns = 0;
  const ledger: CallLedger = {
    begin: () => {
      if (turns >= MOST_CALLS) return Promise.resolve({ refused: `a check has at most ${MOST_CALLS} calls` });
      return Promise.resolve({ turn: (turns += 1) });
    },
    end: (turn, answer) => Promise.resolve(void answers.set(turn, answer)),
    fail: (turn, error) => Promise.resolve(void answers.set(turn, { error })),
  };
  return { ledger, calls: () => [...answers.values()].map(toCheckedCall) };
}

function toCheckedCall(answer: CallAnswer | { error: string }): CheckedCall {
  if ('error' in answer) return { problem: answer.error, tokensIn: 0, tokensOut: 0 };
  const { status, body, usage } = answer;
  return {
    problem: status < 400 ? null : `status ${status}: ${body.slice(0, 500)}`,
    tokensIn: usage.tokensIn ?? 0,
    tokensOut: usage.tokensOut ?? 0,
  };
}
