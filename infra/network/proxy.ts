import { BlockList, isIP } from 'node:net';

/** Variables of the environment. */
export type Environment = Readonly<Partial<Record<string, string>>>;

/** A proxy for requests to one host. */
export interface Proxy {
  /** The proxy without user and password. */
  url: URL;
  /** The same as a text, without a slash at its end. */
  shown: string;
  /** Value of the header Proxy-Authorization; null without a user. Never shown. */
  login: string | null;
  /** Variable that names the proxy. */
  variable: string;
}

/** The environment names a proxy that cannot be used. The message does not show its user and password. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');
LOOPBACK.addAddress('0.0.0.0', 'ipv4');
LOOPBACK.addAddress('::', 'ipv6');

/** A host of a URL in lower case, without the brackets of an IPv6 address and without a dot at its end. */
const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** True for an address of this machine, which never goes through a proxy. */
export function isLocalHost(host: string): boolean {
  const name = plainHost(host);
  return name === 'localhost' || name.endsWith('.localhost') || isIn(LOOPBACK, name);
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * The proxy of an address by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in either case; the lower case
 * wins. Null for an address without a proxy. Throws {@link ProxyError}.
 */
export function proxyFor(target: URL, env: Environment): Proxy | null {
  if (isLocalHost(target.hostname) || isExcluded(target, variableIn(env, ['no_proxy'])?.value ?? '')) return null;
  const found = variableIn(env, [target.protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy']);
  return found === null ? null : parseProxy(found);
}

interface Variable {
  name: string;
  value: string;
}

/** The first of the variables that is set and not empty. */
function variableIn(env: Environment, names: readonly string[]): Variable | null {
  for (const name of names.flatMap((each) => [each, each.toUpperCase()])) {
    const value = env[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return null;
}

function parseProxy({ name, value }: Variable): Proxy {
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:')
    return { url: new URL(url.origin), shown: url.origin, login: loginOf(url), variable: name };
  const got = url === null ? 'something else' : `one that begins with ${url.protocol}//`;
  throw new ProxyError(
    `expected ${name} to be the URL of an HTTP proxy such as http://proxy.example:3128, got ${got} ` +
      '(the rest is not shown, it may contain a password); correct it, or add the host to no_proxy',
  );
}

/** User and password of a URL as a header of HTTP's basic scheme. */
function loginOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const [user, word] = [username, password].map(decode);
  return `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}`;
}

/** Decodes a part of a URL; a `%` that escapes nothing stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** True if an entry of `no_proxy` covers an address: `*`, a host, a domain, an IP address or a subnet. */
function isExcluded(target: URL, noProxy: string): boolean {
  const host = plainHost(target.hostname);
  const usualPort = target.protocol === 'https:' ? '443' : '80';
  const port = target.port || usualPort;
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => covers(entry, { host, port }));
}

function covers(entry: string, { host, port }: { host: string; port: string }): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain, ofPort] = /^(?:\[(.*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  if (ofPort !== undefined && ofPort !== port) return false;
  const name = plainHost(bracketed ?? plain ?? entry);
  if (name.includes('/')) return isInSubnet(host, name);
  if (isIP(host) !== 0) return isSameAddress(host, name);
  const domain = name.replace(/^\*?\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}

function isSameAddress(host: string, address: string): boolean {
  if (isIP(address) === 0) return false;
  const list = new BlockList();
  list.addAddress(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return isIn(list, host);
}

function isInSubnet(host: string, subnet: string): boolean {
  const [address = '', bits = ''] = subnet.split('/');
  const version = isIP(address);
  if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  return isIn(list, host);
}
