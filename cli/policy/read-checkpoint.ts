import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { describeIssue } from '../../domain/issue/describe-issue.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Fields of a checkpoint's `result.json` that an export needs; the trainer writes more. */
const Result = z.object({
  stepKey: z.string(),
  checkpoint: Sha256,
  base: Sha256,
  algorithm: z.string(),
  files: z.record(z.string(), Sha256),
});

export type Checkpoint = z.infer<typeof Result>;

/**
 * Reads a checkpoint's own description and compares it with the hash that its research has stored. The checkpoint's
 * hash covers the hashes of its files, so these are then as reliable as the row. Throws an Error for a mismatch.
 */
export async function readCheckpoint(
  folder: string,
  stored: Pick<Checkpoint, 'checkpoint' | 'stepKey'>,
): Promise<Checkpoint> {
  const path = join(folder, 'result.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT'
        ? `There is no checkpoint ${folder}. It lies in the PERPETUA_HOME of the worker that made it: run this there.`
        : `The checkpoint ${folder} cannot be read (${error.message}).`,
      { cause: error },
    );
  });
  const value = parseJson(text);
  const result = Result.safeParse(value);
  if (!result.success)
    throw new Error(`Expected ${path} to be the result of a step: ${describeIssue(result.error, value)}.`);
  const { checkpoint, files, stepKey } = result.data;
  const hash = hashOf(files);
  for (const found of [checkpoint, hash])
    if (found !== stored.checkpoint || stepKey !== stored.stepKey)
      throw new Error(`Expected the checkpoint ${stored.checkpoint} in ${folder}, found ${found}: it was changed.`);
  return result.data;
}

/** Hash of a checkpoint, as the trainer computes it: SHA-256 over the sorted lines `<name> <hash>`. */
const hashOf = (files: Record<string, string>): string =>
  createHash('sha256')
    .update(
      Object.keys(files)
        .sort()
        .map((name) => `${name} ${files[name]}\n`)
        .join(''),
    )
    .digest('hex');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
