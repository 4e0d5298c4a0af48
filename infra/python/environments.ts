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

/** A task's Python as it is stored. */
export interface LockedPython {
  environment: Environment;
  files: readonly FileContent[];
}

/** Another one where what is built, or how, changes. */
const FORM = 'environment/1';
/** The stage that holds uv itself on a host. */
const UV_STAGE = `uv${UV_VERSION.replaceAll('.', '_')}`;

export interface EnvironmentBuildOptions {
  onOutput: (line: string) => void;
  /** Told where it builds, and waits for no other build. */
  onBegin?: () => void;
  signal: AbortSignal;
}

/**
 * Environments of tasks on hosts. One is a stage: its files are its lock and the script that builds it, its setup is the
 * build, so that the lock of setups, their end, their damage and their removal are its own.
 */
export interface Environments {
  /** Its name among the stages of a host, by its lock, and by the interpreter's version, build and platform there. */
  nameOn: (compute: Compute, locked: LockedPython) => Promise<string>;
  /** Builds it where it is missing; of two who do so at once one waits. Throws SetupFailedError with the reason. */
  build: (compute: Compute, locked: LockedPython, watching: EnvironmentBuildOptions) => Promise<void>;
}

/** What an environment is built from: paths and SHA-256 in hex of its files. */
export interface LockedFiles {
  environment: Environment;
  files: readonly { path: string; hash: string }[];
}

/** The first part of its name, by its lock alone: the same on every host. A stage's mark of its own stands behind `_`. */
export const environmentKey = ({ environment: { python, lock }, files }: LockedFiles): string =>
  `env${short([FORM, python, lock, files.map(({ path, hash }) => [path, hash]).sort()])}`;

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

const keyOf = ({ environment, files }: LockedPython): string =>
  environmentKey({ environment, files: files.map(({ path, content }) => ({ path, hash: sha256(content) })) });

const short = (value: unknown): string => sha256(JSON.stringify(value)).slice(0, 24);

/** `env`: what installing needs, of this machine; `cache`: where uv is kept. */
export function createEnvironments({ env, cache }: { env: Record<string, string>; cache: string }): Environments {
  const known = new Map<string, Promise<Pythons>>();
  const keyOn = ({ host }: Compute, { environment }: LockedPython): string => `${host}\n${environment.python}`;
  const findOn = async (compute: Compute, locked: LockedPython): Promise<Pythons> => {
    const { environment } = locked;
    const key = keyOn(compute, locked);
    const found = known.get(key) ?? compute.findPythons(environment.python, env);
    known.set(key, found);
    // One that is missing, or whose host did not answer, may be there the next time.
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
      // One that was there may be gone since, or be another.
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
  from: { env: Record<string, string>; cache: string },
): Promise<Uint8Array> {
  const python = fits ?? others[0];
  const path = await getUv(python?.path ?? 'python3', { ...from, on: machine }).catch((error: unknown) => {
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
  of: { name: string; locked: LockedPython; found: Pythons; env: Record<string, string> },
  { onOutput, onBegin, signal }: EnvironmentBuildOptions,
): Promise<void> {
  const { name, locked, found, env } = of;
  const { python, lock } = locked.environment;
  const words = [`../../${UV_STAGE}/files/uv`, found.fits?.path ?? 'fetch', python, basename(lock)];
  const command = `exec sh build.sh ${words.map(shellQuote).join(' ')}`;
  // The host has a PATH of its own, and a build a HOME.
  const settings = Object.fromEntries(Object.entries(env).filter(([key]) => key !== 'HOME' && key !== 'PATH'));
  try {
    await compute.prepare(name, [command], {
      ...{ onOutput, ...(onBegin && { onBegin }), signal, limitSeconds: LONGEST_BUILD_SECONDS },
      env: { ...settings, ...(env.HOME && { PERPETUA_USER_HOME: env.HOME }) },
    });
  } catch (error) {
    if (!(error instanceof SetupFailedError)) throw error;
    const { host } = compute;
    const why = describeBuildFailure({ host, version: python, lock, found, said: error.logTail });
    throw new SetupFailedError(why, error.logTail);
  }
}
