import { dirname } from 'node:path/posix';
import type { SlotRef } from '../compute.ts';
import { isSystemPath } from '../compute/run-protocol/spec.ts';
import { isInside, type ReadPathInfo } from '../compute/run-protocol/sandbox-mounts.ts';

/** The built Python of a task on a host. */
export interface BuiltPython {
  /** Folder of its programs. */
  bin: string;
  /** Folders that a sandbox shows at their own paths: the environment, and its interpreter if outside the system. */
  show: string[];
}

/** True if a stage's name is that of an environment; stages of tasks have hexadecimal names. */
export const isEnvironment = (stage: string): boolean => /^env[0-9a-f]{24}_/.test(stage);

/** Folder of an environment's programs in the data of its stage. */
export const binIn = (data: string): string => `${data}/venv/bin`;

/** Finds the folders of a built environment; undefined if its interpreter is gone. */
export async function builtPython(readPathInfo: ReadPathInfo, data: string): Promise<BuiltPython | undefined> {
  const bin = binIn(data);
  const [python] = await readPathInfo([`${bin}/python`]);
  if (python?.real === undefined) return undefined;
  return { bin, show: [data, ...interpreterFolders(python.real, data)] };
}

/** Folders of an interpreter: its prefix; for a shallow prefix such as a home directory, only `bin` and `lib`. */
function interpreterFolders(python: string, data: string): string[] {
  const prefix = dirname(dirname(python));
  if (isSystemPath(prefix) || isInside(prefix, data)) return [];
  const isShallow = prefix.split('/').filter(Boolean).length < 3;
  return isShallow ? [`${prefix}/bin`, `${prefix}/lib`] : [prefix];
}

/** Variables that limit threads: by default, these libraries start a thread for each core of the machine. */
const THREADS = ['OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'NUMEXPR_NUM_THREADS'];

/** Variables for the libraries of an environment: writable caches, and the slot's number of threads. */
export function pythonEnvironment(
  { gpu, cores = 1 }: Pick<SlotRef, 'gpu' | 'cores'>,
  tmp: string,
): Record<string, string> {
  const threads = gpu !== null || cores === null ? [] : THREADS.map((name) => [name, String(cores)] as const);
  return {
    ...Object.fromEntries(threads),
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    XDG_CACHE_HOME: `${tmp}/.cache`,
    MPLCONFIGDIR: `${tmp}/.cache/matplotlib`,
    NUMBA_CACHE_DIR: `${tmp}/.cache/numba`,
    TORCH_HOME: `${tmp}/.cache/torch`,
    TORCHINDUCTOR_CACHE_DIR: `${tmp}/.cache/inductor`,
    TRITON_CACHE_DIR: `${tmp}/.cache/triton`,
  };
}
