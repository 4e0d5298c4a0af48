import type { Context } from 'hono';

/**
 * Sets the ETag, which the browser must revalidate on each request. Returns a 304 if the browser has that version,
 * otherwise undefined: the caller sends the body.
 */
export function respondNotModified(c: Context, etag: string): Response | undefined {
  c.header('etag', etag);
  c.header('cache-control', 'private, no-cache');
  const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) ? c.body(null, 304) : undefined;
}
