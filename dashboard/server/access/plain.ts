import type { Context } from 'hono';

/** An answer in words to who is not let in, or came to nothing: for people's browsers and for curl alike. */
export const plain = (c: Context, status: 401 | 403 | 404 | 405 | 500 | 503, text: string): Response =>
  c.text(`${text}\n`, status, { 'cache-control': 'no-store' });
