import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Held } from '../../../domain/own-doing.ts';
import type { RunRef } from '../../compute.ts';
import { readOptional } from '../../files.ts';
import { runDirectory, stageDirectory, type Layout } from '../run-protocol/paths.ts';
import { RunFile } from './run-file.ts';
import { attemptsOf } from './state.ts';

/** What a run of which nothing lives has on the disk of this machine, and how much of that is in use. */
export async function holds(layout: Layout, run: RunRef): Promise<Held> {
  const runDir = runDirectory(layout, run);
  // What it took away from us would weigh nothing. Links are not followed.
  if (process.getuid?.() !== 0) await ignoring('chmod', '-R', 'u+rwx', '--', runDir);
  let [own, ownFiles] = [0, 0];
  for (const { directory, work, tmp } of await attemptsOf(runDir)) {
    const stageHash = await stageOf(directory);
    if (stageHash === undefined) continue;
    const staged = join(stageDirectory(layout, stageHash), 'files');
    own += (await sizeMb(directory)) - (await sizeMb(staged));
    // The two folders themselves are ours; the stage has one of them.
    ownFiles += (await countNames(work, tmp)) - (await countNames(staged)) - 1;
  }
  const { blocks, bfree, bsize, files, ffree } = await statfs(layout.home);
  return {
    ownMb: Math.max(0, own),
    usedMb: ((blocks - bfree) * bsize) / 2 ** 20,
    ownFiles: Math.max(0, ownFiles),
    usedFiles: files - ffree,
    freeFiles: files === 0 ? null : ffree,
  };
}

/** Undefined where half of the attempt was removed, or a full disk cut the words. */
async function stageOf(directory: string): Promise<string | undefined> {
  const text = (await readOptional(join(directory, 'run.json'))) ?? '';
  try {
    return RunFile.parse(JSON.parse(text)).stageHash;
  } catch {
    return undefined;
  }
}

/** As far as it can be read, and is there. */
const sizeMb = async (folder: string): Promise<number> =>
  (parseInt(await ignoring('du', '-skx', '--', `${folder}/.`)) || 0) / 1024;

/** Names, hard links too: as many as somebody likes, so that nobody reads them. */
const COUNT = `find "$@" -xdev -print0 2>/dev/null | tr -cd '\\000' | wc -c`;
const countNames = async (...folders: string[]): Promise<number> =>
  parseInt(await ignoring('sh', '-c', COUNT, 'sh', ...folders)) || 0;

/** What a program prints, whatever it complains of: that has no end in a tree of somebody else's making. */
async function ignoring(...words: string[]): Promise<string> {
  const said = promisify(execFile)('sh', ['-c', 'exec "$@" 2>/dev/null', 'sh', ...words]);
  return ((await said.catch((error: unknown) => error)) as { stdout?: string }).stdout ?? '';
}
