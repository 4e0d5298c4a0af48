import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { grpcProxyOf, hostOf } from './grpc-proxy.ts';

/** Message for people that Temporal cannot be reached, and what to do; `why`: of `connectFailure`. */
export const temporalUnreachableMessage = (address: string, why: string): string =>
  `Cannot reach Temporal at ${address} (${why}). ` +
  'Start the stack with `npx perpetua up`, or check TEMPORAL_ADDRESS and PERPETUA_HOME.';

/** Longest lookup of a host name. */
const LOOKUP_MS = 1000;
const UNRESOLVED = ['ENOTFOUND', 'EAI_AGAIN'];
/** Message of gRPC's client if no connection was made in time. The error has no code. */
const TOO_LATE = 'Failed to connect before the deadline';

/**
 * The reason why no connection to Temporal was made, for people. `seconds`: limit of the connection; default: that of
 * Temporal's client.
 */
export async function connectFailure(error: unknown, { address, seconds = 10, env = {} }: Attempt): Promise<string> {
  const host = hostOf(address);
  const proxy = grpcProxyOf(address, env);
  // A proxy resolves the name itself.
  if (proxy === null && (await isUnresolved(host))) return `the host name ${host} does not resolve`;
  const text = firstLineOf(error instanceof Error ? (error.cause ?? error) : error);
  const why = text === TOO_LATE ? `no answer within ${seconds} s` : text;
  if (proxy === null) return why;
  const way = `by the proxy ${proxy.address} of ${proxy.variable}`;
  return `${why}, ${way}; if it is reachable without, add ${host} to NO_PROXY`;
}

interface Attempt {
  address: string;
  seconds?: number;
  /** Environment with the variables of a proxy; default: none. */
  env?: Readonly<Record<string, string | undefined>>;
}

async function isUnresolved(host: string): Promise<boolean> {
  const found = lookup(host).then(
    () => false,
    (error: NodeJS.ErrnoException) => UNRESOLVED.includes(error.code ?? ''),
  );
  return Promise.race([found, sleep(LOOKUP_MS, false, { ref: false })]);
}

/** First line of a reason: further lines of the native client are a dump of its structures. */
const firstLineOf = (why: unknown): string => (why instanceof Error ? why.message : String(why)).split('\n')[0] ?? '';
