import { BlockList, isIPv4 } from 'node:net';
import { isLocalHost } from '../network/proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Proxy of gRPC for an address, as gRPC's own client chooses it. */
export interface GrpcProxy {
  /** host:port */
  address: string;
  credentials: { username: string; password: string } | null;
  /** Name of the variable. */
  variable: string;
}

/** Finds the proxy for a Temporal server (host:port); null if the connection is direct, as one to this machine is. */
export function grpcProxyOf(address: string, env: Env): GrpcProxy | null {
  const host = hostOf(address);
  const variable = ['grpc_proxy', 'https_proxy', 'http_proxy'].find((name) => env[name]);
  if (variable === undefined || isLocalHost(host) || isExcluded(host, env)) return null;
  const url = parse(env[variable] ?? '');
  // The clients of gRPC support no other scheme, and then connect directly.
  if (url?.protocol !== 'http:') return null;
  return {
    address: `${url.hostname}:${url.port || '80'}`,
    credentials: url.username ? { username: decoded(url.username), password: decoded(url.password) } : null,
    variable,
  };
}

/** Host of host:port, without brackets. */
export const hostOf = (address: string): string => address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

/** True if an entry of the list is a suffix of the host, or a network that contains the host's IPv4 address. */
const isExcluded = (host: string, env: Env): boolean =>
  (env.no_grpc_proxy || env.no_proxy || '')
    .split(',')
    .some((entry) => entry !== '' && (entry === '*' || host.endsWith(entry) || isWithin(host, entry)));

function isWithin(host: string, network: string): boolean {
  const [ip = '', bits = ''] = network.split('/');
  if (!isIPv4(host) || !isIPv4(ip) || !/^\d+$/.test(bits) || Number(bits) > 32) return false;
  const list = new BlockList();
  list.addSubnet(ip, Number(bits));
  return list.check(host);
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded
  }
}
