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
 * The built page's files by their path, read once: nothing else below its folder is ever served, and what it is built into
 * meanwhile is not mixed with it. Null where it was not built.
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

/** Of the bytes that were asked for. */
export const etagOf = (content: string | Uint8Array): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
