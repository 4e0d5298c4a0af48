import { execFile } from 'node:child_process';
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Held } from '../../../domain/own-doing.ts';
import type { RunRef } from '../../compute.ts';
import { runDirectory, stageDirectory, type Layout } from '../run-protocol/paths.ts';
import { RunFile } from './run-file.ts';
import { attemptsOf } from './state.ts';

/** What a run has on the disk of this machine, and how much of that is in use. */
export async function holds(layout: Layout, run: RunRef): Promise<Held> {
  let own = 0;
  for (const { directory } of await attemptsOf(runDirectory(layout, run))) {
    const { stageHash } = RunFile.parse(JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')));
    own += (await sizeMb(directory)) - (await sizeMb(join(stageDirectory(layout, stageHash), 'files')));
  }
  const { blocks, bfree, bsize } = await statfs(layout.home);
  return { ownMb: Math.max(0, own), usedMb: ((blocks - bfree) * bsize) / 2 ** 20 };
}

/** As far as it can be read, and is there. */
async function sizeMb(folder: string): Promise<number> {
  const said = await promisify(execFile)('du', ['-skx', '--', `${folder}/.`]).catch((error: unknown) => error);
  return (parseInt((said as { stdout?: string }).stdout ?? '') || 0) / 1024;
}
