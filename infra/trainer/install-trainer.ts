import { existsSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { findInterpreter } from './interpreter.ts';
import { findInstalledTrainer, trainerPaths, type Kind, type TrainerPaths } from './trainer-paths.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';
import { waitForLock } from './wait-for-lock.ts';
import { installEnvironment } from './tool-environment.ts';
import { getUv, putInPlace, runUv, uvEnvironment } from '../python/uv.ts';

/** Measured on Linux with x86-64, where torch brings CUDA's libraries. */
const SIZE = { download: '3.1 GB', disk: '5.4 GB', bytes: 5.4e9 };
const TELL_MS = 10_000;

export interface InstallOptions {
  packageRoot: string;
  trainer: Trainer;
  env: Readonly<Record<string, string | undefined>>;
  /** Gets a line for people at each step, and every ten seconds. */
  tell: (line: string) => void;
  signal?: AbortSignal;
}

/** Too little room; the message says how much is needed, and where. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

/**
 * Builds the trainer's environment from its hashed lock where it is missing, whole or not at all; of two who build it at
 * once one waits. Throws with the reason: NoInterpreterError, NoSpaceError, IndexUnreachableError, or what uv said.
 */
export async function installTrainer(kind: Kind, options: InstallOptions): Promise<TrainerPaths & { made: boolean }> {
  const { trainer, tell, signal } = options;
  const where = { packageRoot: options.packageRoot, cache: trainer.cache };
  const place = trainerPaths(kind, where);
  const there = () => (kind === 'engine' ? findInstalledTrainer(where) : existsSync(place.python) ? place : null);
  const before = there();
  if (before !== null) return { ...before, made: false };
  const release = await waitForLock(`${place.folder}.lock`, { tell, ...(signal && { signal }) });
  try {
    const meanwhile = there();
    if (meanwhile !== null) return { ...meanwhile, made: false };
    await build(place, options);
    return { ...place, made: true };
  } finally {
    release();
  }
}

async function build(place: TrainerPaths, options: InstallOptions): Promise<void> {
  const { trainer, tell, signal } = options;
  const env = installEnvironment(options.env);
  const python = await findInterpreter(trainer.python, env);
  await mkdir(trainer.cache, { recursive: true });
  tell(`installing the trainer: ${SIZE.download} to download, ${SIZE.disk} on disk, in ${place.folder}`);
  await requireSpace(trainer.cache);
  const uv = await getUv(python.path, { cache: trainer.cache, env });
  const told = { env: await uvEnvironment(python.path, env), tell, ...(signal && { signal }) };
  // The lock is ours: what lies there is a dead process's.
  const temporary = `${place.folder}.part`;
  await rm(temporary, { recursive: true, force: true });
  const began = performance.now();
  try {
    await quietly([uv, 'venv', '--quiet', '--relocatable', '--python', python.path, temporary], told);
    const into = ['--python', join(temporary, 'bin', 'python'), '--require-hashes', '--compile-bytecode'];
    await quietly([uv, 'pip', 'sync', ...into, place.lock], told);
    // One whose interpreter is gone is of no use to anybody.
    await rm(place.folder, { recursive: true, force: true });
    await putInPlace(temporary, place.folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  tell(`trainer installed in ${seconds(began)} (Python ${python.version})`);
}

async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= SIZE.bytes) return;
  throw new NoSpaceError(
    `expected ${SIZE.disk} free in ${folder}, found ${(free / 1e9).toFixed(1)} GB: free some, or set PERPETUA_TRAINER_CACHE`,
  );
}

/** How far uv is, from the lines that it says. */
interface Progress {
  /** Bytes by package, of those whose download began. */
  sizes: Map<string, number>;
  done: number;
}

const UNITS: Record<string, number> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Takes a line of uv into account, where it is about a download. */
export function trackDownload(progress: Progress, line: string): void {
  const [, name, size, unit = ''] = /^\s*Downloading (\S+) \(([\d.]+)(\wiB)\)/.exec(line) ?? [];
  if (name !== undefined) progress.sizes.set(name, Number(size) * (UNITS[unit] ?? 1));
  const finished = /^\s*Downloaded (\S+)/.exec(line)?.[1];
  if (finished !== undefined) progress.done += progress.sizes.get(finished) ?? 0;
}

/** Empty where nothing was downloaded. */
export function describeProgress({ sizes, done }: Progress): string {
  const whole = [...sizes.values()].reduce((sum, one) => sum + one, 0);
  const inGb = (bytes: number): string => (bytes / 1e9).toFixed(1);
  return whole === 0 ? '' : `, ${inGb(done)} of ${inGb(whole)} GB downloaded`;
}

/** Runs uv, and tells every ten seconds what it has downloaded. */
async function quietly(
  command: string[],
  {
    env,
    tell,
    signal,
  }: { env: Record<string, string | undefined>; tell: (line: string) => void; signal?: AbortSignal },
): Promise<void> {
  const began = performance.now();
  const progress: Progress = { sizes: new Map(), done: 0 };
  const timer = setInterval(() => tell(`still installing (${seconds(began)}${describeProgress(progress)})`), TELL_MS);
  try {
    await runUv(command, { env, onLine: (line) => trackDownload(progress, line), ...(signal && { signal }) });
  } finally {
    clearInterval(timer);
  }
}

const seconds = (began: number): string => `${Math.round((performance.now() - began) / 1000)} s`;
