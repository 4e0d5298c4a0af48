import type { MiddlewareHandler } from 'hono';
import { plain } from './plain.ts';

/**
 * Refuses what calls us by a name that we do not have: a page of a stranger whose name was made to lead here (DNS rebinding)
 * is of the same origin for a browser.
 */
export const hostDoor =
  (isOurs: (host: string) => boolean): MiddlewareHandler =>
  async (c, next) =>
    isOurs((c.req.header('host') ?? '').toLowerCase())
      ? next()
      : plain(c, 403, 'This name leads to a Perpetua dashboard that does not go by it. Allow it with --allow-host.');

/** Names with this port that lead to this machine alone, the address it listens on, and those that were given, with any port. */
export function hostNames({ host, port }: { host: string; port: number }, allowHosts: readonly string[]) {
  const listens = host.includes(':') ? `[${host}]` : host;
  const own = new Set(['127.0.0.1', 'localhost', '[::1]', listens].map((name) => `${name.toLowerCase()}:${port}`));
  const allowed = new Set(allowHosts.map((name) => name.toLowerCase()));
  return (came: string): boolean => own.has(came) || allowed.has(came) || allowed.has(came.replace(/:\d+$/, ''));
}
