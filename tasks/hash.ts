import { createHash } from 'node:crypto';

/** SHA-256 of a text (as UTF-8) or of bytes, in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** SHA-256 of plain JSON data; the order of keys does not matter. */
export function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value, sortedKeys));
}

/** SHA-256 of a set of files, over path, content and executable bit of each; their order does not matter. */
export function hashFiles(files: readonly { path: string; content: Uint8Array; executable?: boolean }[]): string {
  const rows = files.map(({ path, content, executable }) => [path, executable === true, sha256(content)]);
  return hashOf(rows.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
