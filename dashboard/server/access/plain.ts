import type { Context } from 'hono';

/** An answer in plain text for a refused or failed request, readable in a browser and with curl. */
export const plain = (c: Context, status: 401 | 403 | 404 | 405 | 500 | 503, text: string): Response =>
  c.text(`${text}\n`, status, { 'cache-control': 'no-store' });
