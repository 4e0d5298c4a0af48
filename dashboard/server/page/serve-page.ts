import type { Context, Handler } from 'hono';
import { plain } from '../doors/plain.ts';
import { revalidated } from '../answer/revalidated.ts';
import { type Asset, loadPage } from './assets.ts';

/**
 * Serves the built page's files, and its shell for every other path: the page itself routes. The shell is given the secret
 * path as its base, so that the page's own addresses are relative to it.
 */
export function servePage(folder: string, secretPath: string): Handler {
  const base = `/${secretPath}/`;
  const page = loadPage(folder, base);
  return (c) => {
    if (!page) return plain(c, 503, `Expected the built page in ${folder}, found none. Build it: npm run build`);
    const name = decodeURI(c.req.path.slice(base.length));
    const file = page.files.get(name);
    if (!file && /^assets\//.test(name)) return plain(c, 404, 'There is no such file.');
    return send(c, file ?? page.shell);
  };
}

function send(c: Context, { body, type, etag }: Asset): Response {
  return revalidated(c, etag) ?? c.body(body, 200, { 'content-type': type });
}
