import type { MiddlewareHandler } from 'hono';
import { plain } from './plain.ts';

const READS = new Set(['GET', 'HEAD']);

/** Nothing is changed from here. */
export const methodDoor: MiddlewareHandler = async (c, next) => {
  if (READS.has(c.req.method)) return next();
  c.header('allow', 'GET, HEAD');
  return plain(c, 405, 'The dashboard only reads: GET and HEAD.');
};
