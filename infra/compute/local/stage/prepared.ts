import { join } from 'node:path';
import { z } from 'zod';
import { readOptional } from '../../../files.ts';

/** Results of a setup: files of the workspace that it changed, and top-level names that it made in `data`. */
const Prepared = z.object({ changed: z.array(z.string()), data: z.array(z.string()) });
export type Prepared = z.infer<typeof Prepared>;

/** The file that marks a stage whose setup succeeded. */
export const preparedIn = (root: string): string => join(root, 'prepared');

/** The lock of a stage's setup. */
export const lockOf = (root: string): string => join(root, 'setup-lock');

/** Reads the results of a stage's setup; undefined if its mark is absent, incomplete, or from an older version. */
export async function readPrepared(root: string): Promise<Prepared | undefined> {
  const text = (await readOptional(preparedIn(root))) ?? '';
  try {
    return Prepared.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
