import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRole } from '../../domain/gateway/call.ts';
import type { CallLedger } from '../gateway.ts';
import type { Environment } from '../network/proxy.ts';
import type { GatewayEndpoints } from './endpoints.ts';
import type { BodyRoom } from './read-body.ts';

/** Settings of a gateway. */
export interface GatewaySettings {
  endpoints: GatewayEndpoints;
  /** Environment that names the proxy and the trusted certificates. */
  env: Environment;
  /** Receives lines for the log of the worker, without keys. */
  log: (line: string) => void;
  /** Random numbers from 0 to 1, for waits. */
  random: () => number;
  /** Seconds without a byte from an endpoint after which a call fails. */
  idleSeconds: number;
  /** Seconds for which a call waits for an endpoint that cannot be reached. */
  unreachableSeconds: number;
  /** Models, by endpoint, that refuse to report usage in streams. The gateway adds to it. */
  withoutUsage: Set<string>;
}

/** The sender of requests, and the ledger that counts them. */
export interface GatewayCaller {
  ledger: CallLedger;
  role: CallRole;
}

/** One request of a caller, and where its answer goes. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  caller: GatewayCaller;
  /** Room for the bodies of the caller's requests. */
  room: BodyRoom;
}
