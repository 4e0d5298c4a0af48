import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEnd } from '../../../compute.ts';
import { readOptional } from '../../../files.ts';
import { parseEnd } from '../../run-protocol/ending/parse-end.ts';

/** Reads the end that the supervisor recorded; undefined if the run has not ended, or a full disk cut the file. */
export async function readEnd(control: string): Promise<RunEnd | undefined> {
  const text = await readOptional(join(control, 'ended.json'));
  return text === undefined ? undefined : parseEnd(text, await sizeOf(join(control, 'output')));
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
