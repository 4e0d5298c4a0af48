import type { Context } from 'hono';

/** Names what is sent, to be asked again each time; 304 where the browser has it, so that its bytes are saved. */
export function respondNotModified(c: Context, etag: string): Response | undefined {
  c.header('etag', etag);
  c.header('cache-control', 'private, no-cache');
  const known = (c.req.header('if-none-match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) ? c.body(null, 304) : undefined;
}
