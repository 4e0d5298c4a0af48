import type { Handler } from 'hono';
import { respondNotModified } from '../answer/respond-not-modified.ts';
import { plain } from '../access/plain.ts';
import { loadPage } from './assets.ts';

/** Serves the built page: `index.html` at the secret path, the other files below it. */
export function servePage(folder: string, secretPath: string): Handler {
  const base = `/${secretPath}/`;
  const files = loadPage(folder);
  return (c) => {
    if (!files) return plain(c, 503, `Expected the built page in ${folder}, found none. Build it: npm run build`);
    const file = files.get(c.req.path.slice(base.length));
    if (!file) return plain(c, 404, 'There is no such page.');
    return respondNotModified(c, file.etag) ?? c.body(file.body, 200, { 'content-type': file.type });
  };
}
