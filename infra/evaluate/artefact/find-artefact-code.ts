import { findCode, isOverLimits } from '../../../domain/artefact/find-code.ts';
import type { FileContent } from '../../compute.ts';
import { searchInThread } from './search-in-thread.ts';
import { unpack } from './unpack.ts';

const MIB = 1024 * 1024;
/** Most bytes of an artefact that is searched without a thread, which costs the CPU time of its start. */
const LARGEST_QUICK = MIB;
/** Limits of a search without a thread: it blocks the worker for a tenth of a second at most. */
const QUICK = { bytes: MIB, entries: 500 };

/** Describes the first artefact that may execute code when loaded, with its path; null: none. */
export async function findArtefactCode(artefacts: readonly FileContent[]): Promise<string | null> {
  for (const { path, content } of artefacts) {
    const found = await search(content);
    if (found !== null) return `${path} (${found})`;
  }
  return null;
}

async function search(content: Uint8Array): Promise<string | null> {
  if (content.length > LARGEST_QUICK) return searchInThread(content);
  const found = await findCode(content, unpack, QUICK);
  return isOverLimits(found) ? searchInThread(content) : found;
}
