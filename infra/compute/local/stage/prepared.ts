import { join } from 'node:path';
import { z } from 'zod';
import { readOptional } from '../../../files.ts';

/** What a setup left: files of the workspace that are not what was staged since, and what it made for all runs. */
const Prepared = z.object({ changed: z.array(z.string()), data: z.array(z.string()) });
export type Prepared = z.infer<typeof Prepared>;

/** The mark of a stage whose setup is over. */
export const preparedIn = (root: string): string => join(root, 'prepared');

/** The lock under which a stage is set up. */
export const lockOf = (root: string): string => join(root, 'setup-lock');

/** What is known of a stage's setup; undefined where there was none, or its mark is of an older version, or cut. */
export async function readPrepared(root: string): Promise<Prepared | undefined> {
  const text = (await readOptional(preparedIn(root))) ?? '';
  try {
    return Prepared.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
