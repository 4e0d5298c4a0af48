import type { MiddlewareHandler } from 'hono';
import { plain } from './plain.ts';

/**
 * Refuses what calls us by a name that we do not have: a page of a stranger whose name was made to lead here (DNS rebinding)
 * is of the same origin for a browser.
 */
export const requireKnownHost =
  (isOurs: (host: string) => boolean): MiddlewareHandler =>
  async (c, next) =>
    isOurs((c.req.header('host') ?? '').toLowerCase())
      ? next()
      : plain(c, 403, 'This name leads to a Perpetua dashboard that does not go by it. Allow it with --allow-host.');

/**
 * Names that lead to this machine alone, the address it listens on, and those that were given. With any port: a forward of SSH
 * may have another one, and a stranger's page has a name of its own.
 */
export function createHostMatcher({ host }: { host: string }, allowHosts: readonly string[]) {
  const listens = host.includes(':') ? `[${host}]` : host;
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', listens, ...allowHosts].map((name) => name.toLowerCase()));
  return (came: string): boolean => names.has(came) || names.has(came.replace(/:\d+$/, ''));
}
