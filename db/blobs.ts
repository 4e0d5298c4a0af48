import { createHash } from 'node:crypto';
import { inArray } from 'drizzle-orm';
import type { Tx } from './connect.ts';
import { blobs } from './schema.ts';

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Stores contents under their SHA-256 and returns the hashes in the same order. */
export async function saveBlobs(tx: Tx, contents: Uint8Array[]): Promise<string[]> {
  if (contents.length > 0) await insertBlobs(tx, contents);
  return contents.map(sha256);
}

/** Statement that stores contents (at least one); blobs that exist stay. */
export function insertBlobs(tx: Tx, contents: Uint8Array[]) {
  const unique = new Map(contents.map((content) => [sha256(content), content]));
  return tx
    .insert(blobs)
    .values([...unique].map(([hash, content]) => ({ hash, content: Buffer.from(content) })))
    .onConflictDoNothing();
}

/** Contents by hash; hashes that are not stored are absent. */
export async function findBlobs(tx: Tx, hashes: string[]): Promise<Map<string, Buffer>> {
  if (hashes.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(blobs)
    .where(inArray(blobs.hash, [...new Set(hashes)]));
  return new Map(rows.map((row) => [row.hash, row.content]));
}

/** Contents by hash; throws if one is missing. */
export async function loadBlobs(tx: Tx, hashes: string[]): Promise<Map<string, Buffer>> {
  const found = await findBlobs(tx, hashes);
  for (const hash of hashes) if (!found.has(hash)) throw new Error(`Expected a stored file ${hash}, found none`);
  return found;
}
