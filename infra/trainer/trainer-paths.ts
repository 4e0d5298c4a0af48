import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolEnvironment } from './tool-environment.ts';

/** `engine` has the packages that a research needs; `test` adds pytest and TRL to the same versions. */
export type Kind = 'engine' | 'test';

const LOCKS: Record<Kind, string> = { engine: 'requirements.lock', test: 'requirements-test.lock' };

export interface TrainerPaths {
  /** Folder of the environment, named by the hash of its lock. */
  folder: string;
  /** Interpreter of the environment. */
  python: string;
  lock: string;
}

/** Folder of the trainer's Python sources. */
export const sourceOf = (packageRoot: string): string => join(packageRoot, 'trainer');

export function trainerPaths(kind: Kind, { packageRoot, cache }: { packageRoot: string; cache: string }): TrainerPaths {
  const lock = join(sourceOf(packageRoot), LOCKS[kind]);
  const name = createHash('sha256').update(readFileSync(lock)).digest('hex').slice(0, 16);
  const folder = join(cache, name);
  return { folder, python: join(folder, 'bin', 'python'), lock };
}

/** Finds the installed environment: the engine's, or the tests', which includes it; null if there is neither. */
export function findInstalledTrainer(location: { packageRoot: string; cache: string }): TrainerPaths | null {
  // A copy of the program may have been made without the trainer.
  if (!existsSync(join(sourceOf(location.packageRoot), LOCKS.engine))) return null;
  const candidates = (['engine', 'test'] as const).map((kind) => trainerPaths(kind, location));
  return candidates.find(({ python }) => existsSync(python)) ?? null;
}

/** Message for the case that {@link findInstalledTrainer} finds none. */
export const notInstalledMessage = (location: { packageRoot: string; cache: string }): string =>
  `expected the trainer's environment in ${trainerPaths('engine', location).folder}, found none: ` +
  'run `npx perpetua trainer install`';

/** Variables of a trainer's process: those that its libraries need, and the path of its sources. */
export const trainerEnvironment = (packageRoot: string, env: Readonly<Record<string, string | undefined>>) => ({
  ...toolEnvironment(env),
  PYTHONPATH: sourceOf(packageRoot),
  PYTHONUNBUFFERED: '1',
  // The sources may be in an installed package, below which nothing is written.
  PYTHONDONTWRITEBYTECODE: '1',
  // Models come only from this machine, never from the Hugging Face hub.
  HF_HUB_OFFLINE: '1',
});
