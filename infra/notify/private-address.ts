import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as lookupAddresses } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SinkError } from './sink-adapter.ts';

const PRIVATE = new BlockList();
// Unspecified, private, shared (CGNAT), loopback, link-local, benchmarks, multicast and reserved.
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
// Unspecified, loopback, discard, unique local, link-local, site-local, multicast. Ways to any IPv4 address: compatible
// and translated addresses, NAT64, 6to4 and Teredo.
for (const [network, bits] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['100::', 64],
  ['2001::', 32],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

/** True for an IP address that is not of the public internet. An IPv4 address in an IPv6 one counts as itself. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const version = isIP(plain);
  return version !== 0 && PRIVATE.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

const refusal = (host: string): SinkError =>
  new SinkError(`expected a public address, got ${host}, which is private; if you mean it, set allowPrivate: true`);

/** Throws SinkError for a URL whose host is written as a private address. */
export function requirePublicHost(url: URL): void {
  if (isPrivateAddress(url.hostname)) throw refusal(url.hostname);
}

/** Resolves a host for a connection, and fails if one of its addresses is private: a name may lead anywhere. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  resolvePublic(host, options).then(
    (found) => {
      const [first] = found;
      if (options.all) callback(null, found);
      else callback(null, first?.address ?? '', first?.family);
    },
    (error: NodeJS.ErrnoException) => callback(error, '', 0),
  );
};

async function resolvePublic(host: string, options: LookupOptions): Promise<LookupAddress[]> {
  const found = await lookupAddresses(host, { ...options, all: true });
  if (found.some(({ address }) => isPrivateAddress(address))) throw refusal(host);
  return found;
}

/** Checks a host that a proxy will resolve. A name that this machine cannot resolve is the proxy's to refuse. */
export async function requirePublicName(host: string): Promise<void> {
  const found = await lookupAddresses(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  if (found.some(({ address }) => isPrivateAddress(address))) throw refusal(host);
}
