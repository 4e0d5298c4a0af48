import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolEnvironment } from './tool-environment.ts';

/** `engine` is what a research needs; `test` is the same at the same versions, with pytest and TRL. */
export type Kind = 'engine' | 'test';

const LOCKS: Record<Kind, string> = { engine: 'requirements.lock', test: 'requirements-test.lock' };

export interface TrainerPaths {
  /** Of the environment; named by its lock's hash, so another lock has another one. */
  folder: string;
  /** Its interpreter. */
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

/** The environment that is installed: the engine's, or the tests', which has all of it; null where there is neither. */
export function findInstalledTrainer(where: { packageRoot: string; cache: string }): TrainerPaths | null {
  // A copy of the program may have been made without the trainer.
  if (!existsSync(join(sourceOf(where.packageRoot), LOCKS.engine))) return null;
  const places = (['engine', 'test'] as const).map((kind) => trainerPaths(kind, where));
  return places.find(({ python }) => existsSync(python)) ?? null;
}

/** To say where {@link findInstalledTrainer} finds none. */
export const notInstalledMessage = (where: { packageRoot: string; cache: string }): string =>
  `expected the trainer's environment in ${trainerPaths('engine', where).folder}, found none: run \`npx perpetua trainer install\``;

/** The environment of a trainer's process: what its libraries need, and the way to its sources. */
export const trainerEnvironment = (packageRoot: string, env: Readonly<Record<string, string | undefined>>) => ({
  ...toolEnvironment(env),
  PYTHONPATH: sourceOf(packageRoot),
  PYTHONUNBUFFERED: '1',
  // Models come from this machine alone.
  HF_HUB_OFFLINE: '1',
});
