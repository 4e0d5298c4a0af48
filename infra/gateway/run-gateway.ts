import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Protocol } from '../../domain/gateway/call.ts';
import { isSystemPath } from '../compute/run-protocol/spec.ts';
import type { RunRef } from '../compute.ts';
import type { CallLedger, OpenGateway } from '../gateway.ts';
import type { Gateway } from './create-gateway.ts';
import type { GatewayCaller } from './exchange.ts';
import { type GatewayEndpoints, noEndpoint, noEndpointAtAll } from './endpoints.ts';
import { socketPathProblem } from './serve-socket.ts';

const RELAY = fileURLToPath(new URL('./relay.mjs', import.meta.url));

/** The gateway for runs on this machine: one socket for each run, which identifies the run. */
export interface RunGateway {
  /**
   * Makes the folder that shows a run only its socket, where the worker that follows the run serves it. Safe to repeat.
   */
  prepare: (run: RunRef) => Promise<{ folder: string; socket: string }>;
  /** Program that runs in the run, and copies bytes between a port of its loopback and the socket. */
  relay: () => Promise<string>;
  /** Node that interprets the relay, and entries of the PATH with Node. */
  node: string;
  path: string[];
  /** Serves a run until it is closed. A repeated call takes the socket over. */
  serve: (run: RunRef, ledger: CallLedger) => Promise<OpenGateway>;
  /** Serves a caller at a socket of its own, in a folder that nobody else reaches. */
  serveAt: (socket: string, caller: GatewayCaller) => Promise<OpenGateway>;
  /** Removes the folder of a run that has ended. */
  remove: (run: RunRef) => Promise<void>;
  /** Reason why no run can ask a model in a protocol, with the remedy; null if it can. */
  lacks: (protocol: Protocol) => string | null;
  /** Reason why no program on this machine can ask a model in any protocol, with the remedy; null if one can. */
  lacksAll: () => string | null;
}

/** Folder of the sockets of a home's runs. */
export const runSocketsIn = (home: string): string => join(home, 'gateway');

/** Name of the folder with the socket of a run. */
export const socketFolderOf = ({ jobId, placement }: RunRef): string =>
  createHash('sha256').update(`${jobId} ${placement}`).digest('hex').slice(0, 16);

/** Makes the gateway of a home. Only the home's owner can enter the folder of the sockets; sandboxes show one each. */
export function createRunGateway(from: {
  home: string;
  gateway: Pick<Gateway, 'serve'>;
  endpoints: GatewayEndpoints;
}): RunGateway {
  const { home, gateway, endpoints } = from;
  const root = runSocketsIn(home);
  const node = realpathSync(process.execPath);
  const socketOf = (run: RunRef) => {
    const folder = join(root, socketFolderOf(run));
    return { folder, socket: join(folder, 'llm.sock') };
  };
  const prepare: RunGateway['prepare'] = async (run) => {
    const { folder, socket } = socketOf(run);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    return { folder, socket };
  };
  return {
    prepare,
    relay: () => readFile(RELAY, 'utf8'),
    node,
    path: isSystemPath(node) ? [] : [dirname(node)],
    serve: async (run, ledger) => {
      const { socket } = await prepare(run);
      return gateway.serve(socket, { ledger, role: 'proposer' }, { mode: 0o666 });
    },
    serveAt: (socket, caller) => gateway.serve(socket, caller, { mode: 0o666 }),
    remove: (run) => rm(socketOf(run).folder, { recursive: true, force: true }),
    lacks: (protocol) =>
      // The paths of all sockets have the same length.
      socketPathProblem(socketOf({ jobId: '', placement: 0 }).socket) ??
      (endpoints[protocol] === null ? noEndpoint(protocol) : null),
    lacksAll: () => (Object.values(endpoints).some((endpoint) => endpoint !== null) ? null : noEndpointAtAll()),
  };
}
