import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Held } from '../../../domain/fault/own-doing.ts';
import type { RunRef } from '../../compute.ts';
import { namesIn } from '../../files.ts';
import { runDirectory, stageDirectory, type Layout } from '../run-protocol/paths.ts';
import { findStage } from './stage/aside.ts';
import { madeFrom, RunFile } from './attempt/run-file.ts';
import { jsonIn, partsIn } from './stage.ts';
import { attemptsOf } from './attempt/state.ts';

/** What a run has on the disk of this machine, and how much of that is in use. Nothing of it may live but where that is said. */
export async function holds(layout: Layout, run: RunRef, { living = false } = {}): Promise<Held> {
  const runDir = runDirectory(layout, run);
  // What it took away from us would weigh nothing. Links are not followed.
  if (!living && process.getuid?.() !== 0) await ignoring('chmod', '-R', 'u+rwx', '--', runDir);
  let [own, ownFiles] = [0, 0];
  for (const { directory, work, tmp } of await attemptsOf(runDir)) {
    const staged = await stagedFilesOf(layout, directory);
    if (staged === undefined) continue;
    own += (await sizeMb(directory)) - (await sizeMb(staged));
    // Copies of ours, of conversations whose worker was killed.
    for (const name of (await namesIn(directory)).filter((one) => one.startsWith('talk-')))
      own -= await sizeMb(join(directory, name, 'work'));
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

/** What it began with, wherever that lies by now; undefined where half of the attempt was removed, or a full disk cut the words. */
async function stagedFilesOf(layout: Layout, directory: string): Promise<string | undefined> {
  const run = RunFile.safeParse(await jsonIn(join(directory, 'run.json')));
  if (!run.success) return undefined;
  const { stageHash: hash } = run.data;
  const id = madeFrom(run.data);
  const found = id === undefined ? undefined : await findStage(layout, { hash, id });
  return partsIn(found ?? stageDirectory(layout, hash)).files;
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
