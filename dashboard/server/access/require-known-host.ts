import type { MiddlewareHandler } from 'hono';
import { plain } from './plain.ts';

/**
 * Refuses requests whose Host header is not a name of this server. This prevents DNS rebinding: if a foreign site's
 * name resolves to this address, a browser treats that site's page as the same origin.
 */
export const requireKnownHost =
  (isOurs: (host: string) => boolean): MiddlewareHandler =>
  async (c, next) =>
    isOurs((c.req.header('host') ?? '').toLowerCase())
      ? next()
      : plain(c, 403, 'This Perpetua dashboard does not accept this host name. To allow it, use --allow-host.');

/**
 * Returns a predicate for Host headers. It accepts the loopback names, the address that the server listens on, and
 * `allowHosts`. The port may be any: an SSH forward may use another one, and a foreign site differs by its name.
 */
export function createHostMatcher({ host }: { host: string }, allowHosts: readonly string[]) {
  const address = host.includes(':') ? `[${host}]` : host;
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', address, ...allowHosts].map((name) => name.toLowerCase()));
  return (received: string): boolean => names.has(received) || names.has(received.replace(/:\d+$/, ''));
}
