import { findCode } from '../../domain/artefact/find-code.ts';
import type { FileContent } from '../compute.ts';
import { unpack } from './unpack.ts';

/** Describes the first artefact that may execute code when loaded, with its path; null: none. */
export async function findArtefactCode(artefacts: readonly FileContent[]): Promise<string | null> {
  for (const { path, content } of artefacts) {
    const found = await findCode(content, unpack);
    if (found !== null) return `${path} (${found})`;
  }
  return null;
}
