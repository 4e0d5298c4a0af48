const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * True for a Host header with a loopback name. The port may be any: an SSH forward may use another one. A foreign name
 * that resolves to this machine is refused, since a browser takes its page for one of this server.
 */
export const isOwnHost = (host: string): boolean => NAMES.includes(host.toLowerCase().replace(/:\d+$/, ''));

/** True without an Origin header, which only browsers send, and for the origin of a loopback page. */
export function isOwnOrigin(origin: string | null): boolean {
  if (origin === null) return true;
  const host = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  return host !== undefined && isOwnHost(host);
}
