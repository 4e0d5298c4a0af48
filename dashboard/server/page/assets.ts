import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

export interface Asset {
  body: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};
const SHELL = 'index.html';

/**
 * Loads the files of the built page, by path; null if the page was not built. Files are read once, so the server serves
 * nothing else below the folder, and a later build does not mix with this one.
 */
export function loadPage(folder: string): Map<string, Asset> | null {
  if (!existsSync(join(folder, SHELL))) return null;
  const files = new Map<string, Asset>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(path)];
    if (type === undefined || !statSync(join(folder, path)).isFile()) continue;
    const name = path === SHELL ? '' : path.split(sep).join('/');
    files.set(name, assetOf(readFileSync(join(folder, path)), type));
  }
  return files;
}

const assetOf = (content: Buffer, type: string): Asset => ({
  body: new Uint8Array(content),
  type,
  etag: etagOf(content),
});

/** The ETag of a content: a prefix of its SHA-256. */
export const etagOf = (content: string | Uint8Array): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
