import { existsSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { findInterpreter } from './interpreter.ts';
import { findInstalledTrainer, trainerPaths, type Kind, type TrainerPaths } from './trainer-paths.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';
import { describeTransfer } from '../../domain/text/transfer.ts';
import { reportGrowth, sizeOfTree } from '../report-growth.ts';
import { waitForLock } from './wait-for-lock.ts';
import { installEnvironment } from './tool-environment.ts';
import { getUv, putInPlace, runUv, uvEnvironment } from '../python/uv.ts';

/** Sizes as measured on Linux with x86-64, where torch includes CUDA's libraries. */
const TRAINER: Sizes = { name: 'the trainer', download: '3.1 GB', disk: '5.4 GB', bytes: 5.4e9 };

/** Name and sizes of an installation, for people. */
interface Sizes {
  name: string;
  download: string;
  disk: string;
  bytes: number;
  /** Variable that names the folder of installations; default: the trainer's. */
  variable?: string;
}

export interface InstallOptions {
  packageRoot: string;
  trainer: Trainer;
  env: Readonly<Record<string, string | undefined>>;
  /** Receives a line for people at each step, and every ten seconds. */
  tell: (line: string) => void;
  signal?: AbortSignal;
}

/** Too little disk space; the message says how much is needed, and where. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

/**
 * Builds the trainer's environment from its hashed lock if it is missing, whole or not at all. Of two concurrent calls,
 * one waits. Throws NoInterpreterError, NoSpaceError, IndexUnreachableError, or an error with uv's message.
 */
export async function installTrainer(kind: Kind, options: InstallOptions): Promise<TrainerPaths & { made: boolean }> {
  const { trainer, tell, signal } = options;
  const location = { packageRoot: options.packageRoot, cache: trainer.cache };
  const paths = trainerPaths(kind, location);
  const findExisting = (): TrainerPaths | null => {
    if (kind === 'engine') return findInstalledTrainer(location);
    return existsSync(paths.python) ? paths : null;
  };
  const before = findExisting();
  if (before !== null) return { ...before, made: false };
  const release = await waitForLock(`${paths.folder}.lock`, { tell, ...(signal && { signal }) });
  try {
    const meanwhile = findExisting();
    if (meanwhile !== null) return { ...meanwhile, made: false };
    await buildEnvironment(paths, { ...options, what: TRAINER });
    return { ...paths, made: true };
  } finally {
    release();
  }
}

/**
 * Builds an environment from its hashed lock in its folder. The caller holds the folder's lock. `finish`: the last step
 * before the environment takes its place.
 */
export async function buildEnvironment(
  paths: Pick<TrainerPaths, 'folder' | 'python' | 'lock'>,
  options: InstallOptions & { what: Sizes; finish?: (folder: string) => Promise<void> },
): Promise<void> {
  const { trainer, tell, signal, what } = options;
  const env = installEnvironment(options.env);
  const python = await findInterpreter(trainer.python, env);
  await mkdir(trainer.cache, { recursive: true });
  tell(`installing ${what.name}: ${what.download} to download, ${what.disk} on disk, in ${paths.folder}`);
  await requireSpace(trainer.cache, what);
  const uv = await getUv(python.path, { cache: trainer.cache, env });
  const uvOptions = { env: await uvEnvironment(python.path, env), tell, ...(signal && { signal }) };
  // This process holds the lock, so an existing folder comes from a dead process.
  const temporary = `${paths.folder}.part`;
  await rm(temporary, { recursive: true, force: true });
  const began = performance.now();
  try {
    await runWithProgress(
      [uv, 'venv', '--quiet', '--relocatable', '--python', python.path, temporary],
      temporary,
      uvOptions,
    );
    const syncOptions = ['--python', join(temporary, 'bin', 'python'), '--require-hashes', '--compile-bytecode'];
    await runWithProgress([uv, 'pip', 'sync', ...syncOptions, paths.lock], temporary, uvOptions);
    await options.finish?.(temporary);
    // An existing environment has lost its interpreter, so nothing uses it.
    await rm(paths.folder, { recursive: true, force: true });
    await putInPlace(temporary, paths.folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  tell(`installed ${what.name} in ${seconds(began)} (Python ${python.version})`);
}

/** Throws NoSpaceError if a folder's disk has too little room. */
export async function requireSpace(folder: string, what: Pick<Sizes, 'bytes' | 'disk' | 'variable'>): Promise<void> {
  const { bytes, disk, variable = 'PERPETUA_TRAINER_CACHE' } = what;
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new NoSpaceError(
    `expected ${disk} free in ${folder}, found ${(free / 1e9).toFixed(1)} GB: ` + `free some, or set ${variable}`,
  );
}

/** Progress of uv's downloads, read from its output. */
interface Progress {
  /** Size in bytes of each package whose download has begun. */
  sizes: Map<string, number>;
  /** Bytes of the finished downloads. */
  done: number;
}

const UNITS: Record<string, number> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Updates the progress by a line of uv's output; ignores lines that are not about downloads. */
export function trackDownload(progress: Progress, line: string): void {
  const [, name, size, unit = ''] = /^\s*Downloading (\S+) \(([\d.]+)(\wiB)\)/.exec(line) ?? [];
  if (name !== undefined) progress.sizes.set(name, Number(size) * (UNITS[unit] ?? 1));
  const finished = /^\s*Downloaded (\S+)/.exec(line)?.[1];
  if (finished !== undefined) progress.done += progress.sizes.get(finished) ?? 0;
}

/** Describes the downloads after so many seconds; null if none is under way. */
export function describeProgress({ sizes, done }: Progress, elapsed: number): string | null {
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (done >= total) return null;
  return `downloaded ${describeTransfer({ bytes: done, total, seconds: elapsed })}`;
}

interface UvOptions {
  env: Record<string, string | undefined>;
  tell: (line: string) => void;
  signal?: AbortSignal;
}

/** Runs uv, and reports its downloads, then the size of the folder that it fills, every ten seconds. */
async function runWithProgress(command: string[], folder: string, { env, tell, signal }: UvOptions): Promise<void> {
  const progress: Progress = { sizes: new Map(), done: 0 };
  const stopReports = reportGrowth({
    what: 'still installing',
    size: () => sizeOfTree(folder),
    instead: (elapsed) => describeProgress(progress, elapsed),
    tell,
  });
  try {
    await runUv(command, { env, onLine: (line) => trackDownload(progress, line), ...(signal && { signal }) });
  } finally {
    stopReports();
  }
}

const seconds = (began: number): string => `${Math.round((performance.now() - began) / 1000)} s`;
