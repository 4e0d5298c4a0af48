import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { StepBatch } from '../../domain/learning/step.ts';

/** Writes a batch as <stepKey>.json, whole or not at all; returns its path. */
export async function writeBatch(folder: string, batch: StepBatch): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${batch.stepKey}.json`);
  const next = `${path}.${randomUUID()}`;
  try {
    const file = await open(next, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(batch));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  return path;
}
