import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { describeIssue } from '../../domain/issue/describe-issue.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** As much of a checkpoint's `result.json` as an export needs; the trainer writes more. */
const Result = z.object({
  stepKey: z.string(),
  checkpoint: Sha256,
  base: Sha256,
  algorithm: z.string(),
  files: z.record(z.string(), Sha256),
});

export type Checkpoint = z.infer<typeof Result>;

/**
 * The words of a checkpoint's folder about itself, held against what its research has stored of it. The hash of the checkpoint is over
 * the hashes of its files, so these are then as sure as the row. Throws an Error that says what is wrong.
 */
export async function readCheckpoint(
  folder: string,
  stored: Pick<Checkpoint, 'checkpoint' | 'stepKey'>,
): Promise<Checkpoint> {
  const path = join(folder, 'result.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `Expected the checkpoint ${folder}, cannot read it: ${error.message}. It lies in the PERPETUA_HOME of the worker that made it; run this there.`,
      { cause: error },
    );
  });
  const value = parsed(text);
  const result = Result.safeParse(value);
  if (!result.success)
    throw new Error(`Expected ${path} to be the result of a step: ${describeIssue(result.error, value)}.`);
  const { checkpoint, files, stepKey } = result.data;
  const hash = hashOf(files);
  for (const came of [checkpoint, hash])
    if (came !== stored.checkpoint || stepKey !== stored.stepKey)
      throw new Error(`Expected the checkpoint ${stored.checkpoint} in ${folder}, found ${came}: it was changed.`);
  return result.data;
}

/** As the trainer hashes a folder: over the sorted lines of name and hash. */
const hashOf = (files: Record<string, string>): string =>
  createHash('sha256')
    .update(
      Object.keys(files)
        .sort()
        .map((name) => `${name} ${files[name]}\n`)
        .join(''),
    )
    .digest('hex');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
