import { constants } from 'node:fs';
import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collected, FileContent, RunRef, CollectOptions } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { findStage, moveDamagedStage } from './stage/damaged-stages.ts';
import { findDamage, STAGE_GONE, MANIFEST_UNREADABLE } from './stage/damage.ts';
import { stageIdIn } from './stage/identity.ts';
import { isThisBoot, readOwner } from './attempt/owner.ts';
import { notEndedError } from '../run-protocol/ending/not-ended-error.ts';
import type { Attempt } from '../run-protocol/paths.ts';
import { STDOUT_BYTES, wholeLines } from '../run-protocol/stdout-tail.ts';
import { stageIdOfRun, RunFile } from './attempt/run-file.ts';
import { readManifest, stageParts, type Manifest } from './stage.ts';
import { currentAttempt } from './attempt/state.ts';
import { streamFile } from './attempt/stream-file.ts';
import { isUnchanged, regularFile } from './stage/is-unchanged.ts';

/** Bytes of the log's tail. */
const TAIL = 64 * 1024;
/** Most changed files that are reported; the comparison stops there, since one changed file invalidates the run. */
const MOST_CHANGED = 10;

/** Reads the results of an ended run; throws if the run has not ended. */
export async function collect(context: LocalContext, run: RunRef, wanted: CollectOptions): Promise<Collected> {
  const found = await currentAttempt(context.layout, run);
  if (found?.status.state !== 'ended')
    throw notEndedError(context.host, run, { verb: 'collect', state: found?.status.state ?? 'absent' });
  const { attempt } = found;
  const result: Collected = {
    end: found.status.end,
    rebooted: await isOfEarlierBoot(attempt),
    logTail: (await tailOf(join(attempt.ctl, 'output'), TAIL)).toString('utf8'),
    artefacts: [],
    missing: [],
    tooLarge: [],
    changed: [],
  };
  if (wanted.stdout) result.stdoutTail = wholeLines(await tailOf(streamFile(attempt.ctl, 'stdout'), STDOUT_BYTES));
  for (const { path, maxBytes } of wanted.artefacts) {
    const read = await readInside(attempt.work, path, maxBytes);
    if (typeof read === 'object') result.artefacts.push(read);
    else if (read === 'missing') result.missing.push(path);
    else result.tooLarge.push(path);
  }
  return { ...result, ...(await changedFiles(context, { attempt, failed: hasFailed(result) })) };
}

/** True if damage of the stage could have caused this end. */
const hasFailed = ({ end, missing }: Collected): boolean =>
  end.reason !== 'exit' || end.exitCode !== 0 || missing.length > 0;

async function isOfEarlierBoot(attempt: Attempt): Promise<boolean> {
  const owner = await readOwner(join(attempt.ctl, 'claim', 'owner'));
  return owner !== undefined && !(await isThisBoot(owner));
}

async function readInside(work: string, path: string, maxBytes: number): Promise<FileContent | 'missing' | 'tooLarge'> {
  const file = await regularFile(work, path);
  if (file === undefined) return 'missing';
  // Without O_NONBLOCK, opening a fifo would block forever.
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

/** Returns which immutable files the run changed, and the damage of its stage; sets a damaged stage aside. */
async function changedFiles(
  context: LocalContext,
  { attempt, failed }: { attempt: Attempt; failed: boolean },
): Promise<Pick<Collected, 'changed' | 'damaged' | 'aside'>> {
  const run = RunFile.parse(JSON.parse(await readFile(join(attempt.directory, 'run.json'), 'utf8')));
  const { root, files } = stageParts(context.layout, run.stageHash);
  const id = stageIdOfRun(run) ?? (await stageIdIn(root));
  const known = id === undefined ? undefined : { hash: run.stageHash, id };
  // Runs of older versions have no manifest beside them.
  const manifest = (await readManifest(attempt.directory, files)) ?? (await readManifest(root, files));
  const changed = manifest ? await changedIn(attempt.work, { manifest, mutable: new Set(run.files) }) : [];
  const stage = known && (await findStage(context.layout, known));
  const damaged = await damageOf(stage, { manifest, changed, failed });
  if (damaged !== undefined && known) await moveDamagedStage(context.layout, known);
  const aside = stage !== undefined && stage !== root && (await wasAside(stage, attempt));
  return { changed, ...(damaged === undefined ? {} : { damaged }), ...(aside ? { aside } : {}) };
}

async function damageOf(
  stage: string | undefined,
  { manifest, changed, failed }: { manifest: Manifest | undefined; changed: string[]; failed: boolean },
): Promise<string | undefined> {
  if (!manifest) return MANIFEST_UNREADABLE;
  if (stage === undefined) return STAGE_GONE;
  return findDamage(stage, { manifest, changed, failed });
}

/** True if a stage was set aside before the run ended: setting it aside updates its modification time. */
async function wasAside(stage: string, { ctl }: Attempt): Promise<boolean> {
  const [moved, ended] = await Promise.all([lstat(stage), lstat(join(ctl, 'ended.json'))]);
  return moved.mtimeMs <= ended.mtimeMs;
}

async function changedIn(
  work: string,
  { manifest, mutable }: { manifest: Manifest; mutable: Set<string> },
): Promise<string[]> {
  const changed: string[] = [];
  for (const [path, staged] of manifest) {
    if (changed.length === MOST_CHANGED) break;
    if (!mutable.has(path) && !(await isUnchanged(staged, work, path))) changed.push(path);
  }
  return changed;
}

async function tailOf(file: string, most: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return Buffer.alloc(0);
  try {
    const { size } = await handle.stat();
    const length = Math.min(most, size);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
