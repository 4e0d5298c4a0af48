import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Collected, FileContent, RunRef } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { insidePath } from '../../files.ts';
import { isThisBoot, readOwner } from './owner.ts';
import { notEnded } from '../run-protocol/not-ended.ts';
import type { Attempt } from '../run-protocol/paths.ts';
import { RunFile } from './run-file.ts';
import { readManifest, type StagedFile } from './stage.ts';
import { currentAttempt } from './state.ts';

const TAIL = 64 * 1024;
/** Changed files that are named; the rest is not looked at, since one is enough to condemn a run. */
const MOST_CHANGED = 10;

/** Reads what an ended run left; throws on one that has not ended. */
export async function collect(
  context: LocalContext,
  run: RunRef,
  wanted: { artefacts: { path: string; maxBytes: number }[] },
): Promise<Collected> {
  const found = await currentAttempt(context.layout, run);
  if (found?.status.state !== 'ended')
    throw notEnded(context.host, run, { verb: 'collect', state: found?.status.state ?? 'absent' });
  const { attempt } = found;
  const result: Collected = {
    end: found.status.end,
    rebooted: await isOfEarlierBoot(attempt),
    logTail: await tailOf(join(attempt.ctl, 'output')),
    artefacts: [],
    missing: [],
    tooLarge: [],
    changed: await changedFiles(context, attempt),
  };
  for (const { path, maxBytes } of wanted.artefacts) {
    const read = await readInside(attempt.work, path, maxBytes);
    if (typeof read === 'object') result.artefacts.push(read);
    else if (read === 'missing') result.missing.push(path);
    else result.tooLarge.push(path);
  }
  return result;
}

async function isOfEarlierBoot(attempt: Attempt): Promise<boolean> {
  const owner = await readOwner(join(attempt.ctl, 'claim', 'owner'));
  return owner !== undefined && !(await isThisBoot(owner));
}

/** The real path of a regular file inside a folder, reached without any link; undefined for everything else. */
async function regularFile(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, insidePath(path));
  try {
    return (await realpath(dirname(file))) === dirname(join(await realpath(folder), path)) ? file : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

async function readInside(work: string, path: string, maxBytes: number): Promise<FileContent | 'missing' | 'tooLarge'> {
  const file = await regularFile(work, path);
  if (file === undefined) return 'missing';
  // Without O_NONBLOCK, opening a fifo would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ELOOP', 'EACCES', 'ENXIO', 'ENOTDIR'].includes(error.code ?? '')) return undefined;
    throw error;
  });
  if (!handle) return 'missing';
  try {
    const info = await handle.stat();
    if (!info.isFile()) return 'missing';
    if (info.size > maxBytes) return 'tooLarge';
    const content = Buffer.alloc(info.size);
    const { bytesRead } = await handle.read(content, 0, info.size, 0);
    return { path, content: content.subarray(0, bytesRead) };
  } finally {
    await handle.close();
  }
}

async function changedFiles(context: LocalContext, attempt: Attempt): Promise<string[]> {
  const run = RunFile.parse(JSON.parse(await readFile(join(attempt.directory, 'run.json'), 'utf8')));
  const mutable = new Set(run.files);
  const changed: string[] = [];
  for (const [path, staged] of await readManifest(context.layout, run.stageHash)) {
    if (changed.length === MOST_CHANGED) break;
    if (!mutable.has(path) && !(await isStill(staged, attempt.work, path))) changed.push(path);
  }
  return changed;
}

// By size first: a run makes a file of any size in no time, and to hash it would take us minutes.
async function isStill(staged: StagedFile, work: string, path: string): Promise<boolean> {
  const file = await regularFile(work, path);
  if (file === undefined) return false;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => undefined);
  if (!handle) return false;
  try {
    const info = await handle.stat();
    if (!info.isFile() || info.size !== staged.size) return false;
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('hex') === staged.hash;
  } finally {
    await handle.close();
  }
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(TAIL, size);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
}
