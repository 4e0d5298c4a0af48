import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { LONGEST_BUILD_SECONDS } from '../../domain/fleet/preparing.ts';
import type { Environment } from '../../domain/schema/environment.ts';
import { shellQuote } from '../../domain/text/shell-quote.ts';
import { SetupFailedError, type Compute, type FileContent } from '../compute.ts';
import type { Pythons } from './read-pythons.ts';
import { getUv, IndexUnreachableError, UV_VERSION } from './uv.ts';
import { describeBuildFailure } from './describe-build-failure.ts';

/** A task's Python: the environment of its task file, and the files of the lock. */
export interface LockedPython {
  environment: Environment;
  files: readonly FileContent[];
}

/** Version of the build, part of each name. Change it if the content or the way of the build changes. */
const FORM = 'environment/1';
/** Name of the stage with uv itself on a host. */
const UV_STAGE = `uv${UV_VERSION.replaceAll('.', '_')}`;

export interface EnvironmentBuildOptions {
  onOutput: (line: string) => void;
  /** Called when the build itself begins, after waiting for any other build. */
  onBegin?: () => void;
  signal: AbortSignal;
}

/**
 * Environments of tasks on hosts. An environment is a stage: its files are the lock and the build script, and its setup
 * is the build. So locking, limits, damage checks and removal are those of stages.
 */
export interface Environments {
  /** Name of the environment's stage on a host: from the lock and the host's interpreter (version, build, platform). */
  nameOn: (compute: Compute, locked: LockedPython) => Promise<string>;
  /** Builds the environment if it is missing; of two concurrent calls, one waits. Throws SetupFailedError. */
  build: (compute: Compute, locked: LockedPython, watching: EnvironmentBuildOptions) => Promise<void>;
}

/** Sources of an environment: paths and SHA-256 (hex) of its files. */
export interface LockedFiles {
  environment: Environment;
  files: readonly { path: string; hash: string }[];
}

/** First part of an environment's name, from the lock alone, equal on all hosts. After `_` comes the host's part. */
export const environmentKey = ({ environment: { python, lock }, files }: LockedFiles): string =>
  `env${short([FORM, python, lock, files.map(({ path, hash }) => [path, hash]).sort()])}`;

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

const keyOf = ({ environment, files }: LockedPython): string =>
  environmentKey({ environment, files: files.map(({ path, content }) => ({ path, hash: sha256(content) })) });

const short = (value: unknown): string => sha256(JSON.stringify(value)).slice(0, 24);

/** `env`: variables of this machine that installing needs. `cache`: folder of the downloaded uv. */
export function createEnvironments({ env, cache }: { env: Record<string, string>; cache: string }): Environments {
  const known = new Map<string, Promise<Pythons>>();
  const keyOn = ({ host }: Compute, { environment }: LockedPython): string => `${host}\n${environment.python}`;
  const findOn = async (compute: Compute, locked: LockedPython): Promise<Pythons> => {
    const { environment } = locked;
    const key = keyOn(compute, locked);
    const found = known.get(key) ?? compute.findPythons(environment.python, env);
    known.set(key, found);
    // Forgets a missing interpreter and a failed call: the next call may find one.
    const isKept = await found.then(
      ({ fits }) => fits !== null,
      () => false,
    );
    if (!isKept) known.delete(key);
    return found;
  };
  const nameOf = (locked: LockedPython, { machine, fits }: Pythons): string =>
    `${keyOf(locked)}_${fits?.build ?? short([machine, UV_VERSION])}`;
  return {
    nameOn: async (compute, locked) => nameOf(locked, await findOn(compute, locked)),
    build: async (compute, locked, watching) => {
      if (await compute.isPrepared(nameOf(locked, await findOn(compute, locked)))) return;
      // The interpreter may have been removed or replaced since the last search.
      known.delete(keyOn(compute, locked));
      const found = await findOn(compute, locked);
      const name = nameOf(locked, found);
      if (await compute.isPrepared(name)) return;
      await stageOn(compute, { name, locked, uv: await uvFor(found, { env, cache }) });
      await buildOn(compute, { name, locked, found, env }, watching);
    },
  };
}

/** The program of uv for a host. */
async function uvFor(
  { fits, others, machine }: Pythons,
  options: { env: Record<string, string>; cache: string },
): Promise<Uint8Array> {
  const python = fits ?? others[0];
  const path = await getUv(python?.path ?? 'python3', { ...options, platform: machine }).catch((error: unknown) => {
    throw error instanceof IndexUnreachableError ? new SetupFailedError(`environment: ${error.message}`, '') : error;
  });
  return readFile(path);
}

async function stageOn(
  compute: Compute,
  { name, locked, uv }: { name: string; locked: LockedPython; uv: Uint8Array },
): Promise<void> {
  const script = await readFile(new URL('./build.sh', import.meta.url));
  await compute.stage(UV_STAGE, [{ path: 'uv', content: uv, executable: true }]);
  await compute.stage(name, [
    { path: 'build.sh', content: script },
    ...locked.files.map(({ path, content }) => ({ path: basename(path), content })),
  ]);
}

async function buildOn(
  compute: Compute,
  build: { name: string; locked: LockedPython; found: Pythons; env: Record<string, string> },
  { onOutput, onBegin, signal }: EnvironmentBuildOptions,
): Promise<void> {
  const { name, locked, found, env } = build;
  const { python, lock } = locked.environment;
  const args = [`../../${UV_STAGE}/files/uv`, found.fits?.path ?? 'fetch', python, basename(lock)];
  const command = `exec sh build.sh ${args.map(shellQuote).join(' ')}`;
  // The host sets the PATH, and the setup sets HOME.
  const settings = Object.fromEntries(Object.entries(env).filter(([key]) => key !== 'HOME' && key !== 'PATH'));
  try {
    await compute.prepare(name, [command], {
      onOutput,
      ...(onBegin && { onBegin }),
      signal,
      limitSeconds: LONGEST_BUILD_SECONDS,
      env: { ...settings, ...(env.HOME && { PERPETUA_USER_HOME: env.HOME }) },
    });
  } catch (error) {
    if (!(error instanceof SetupFailedError)) throw error;
    const { host } = compute;
    const why = describeBuildFailure({ host, version: python, lock, found, output: error.logTail });
    throw new SetupFailedError(why, error.logTail);
  }
}
