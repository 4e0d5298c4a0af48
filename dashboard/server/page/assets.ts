import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

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

/** The built page, read once: nothing else below its folder is ever served. Null where it was not built. */
export function loadPage(folder: string, base: string): { shell: Asset; files: Map<string, Asset> } | null {
  if (!existsSync(join(folder, SHELL))) return null;
  const files = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined || entry.name === SHELL) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path).split(sep).join('/'), assetOf(readFileSync(path), type));
  }
  const html = readFileSync(join(folder, SHELL), 'utf8').replace(
    /<head[^>]*>/,
    (head) => `${head}<base href="${base}">`,
  );
  return { shell: assetOf(Buffer.from(html), TYPES['.html'] ?? ''), files };
}

const assetOf = (content: Buffer, type: string): Asset => ({
  body: new Uint8Array(content),
  type,
  etag: etagOf(content),
});

/** Of the bytes that were asked for. */
export const etagOf = (content: string | Uint8Array): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
