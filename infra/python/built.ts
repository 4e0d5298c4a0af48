import { dirname } from 'node:path/posix';
import type { SlotRef } from '../compute.ts';
import { isSystemPath } from '../compute/run-protocol/spec.ts';
import { isInside, type ReadPathInfo } from '../compute/run-protocol/sandbox-mounts.ts';

/** The Python of a task as it lies on a host. */
export interface BuiltPython {
  /** Folder of its programs. */
  bin: string;
  /** Folders that a sandbox shows for it, each at its own path: itself, and its interpreter's where no sandbox shows that anyway. */
  show: string[];
}

/** Whether a stage is an environment, by its name; those of tasks are hex. */
export const isEnvironment = (stage: string): boolean => /^env[0-9a-f]{24}_/.test(stage);

/** Where the programs of an environment lie in the data of its stage. */
export const binIn = (data: string): string => `${data}/venv/bin`;

/** What a run needs of an environment that was built; undefined where its interpreter is gone. */
export async function builtPython(look: ReadPathInfo, data: string): Promise<BuiltPython | undefined> {
  const bin = binIn(data);
  const [python] = await look([`${bin}/python`]);
  if (python?.real === undefined) return undefined;
  return { bin, show: [data, ...interpreterFolders(python.real, data)] };
}

/** An interpreter's prefix; of one that lies right in a home directory no more than its programs and its libraries. */
function interpreterFolders(python: string, data: string): string[] {
  const prefix = dirname(dirname(python));
  if (isSystemPath(prefix) || isInside(prefix, data)) return [];
  const isShallow = prefix.split('/').filter(Boolean).length < 3;
  return isShallow ? [`${prefix}/bin`, `${prefix}/lib`] : [prefix];
}

/** Libraries that start a thread for each core of the machine, on a slot that is one of them. */
const THREADS = ['OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'NUMEXPR_NUM_THREADS'];

/** Variables of Python's libraries: their caches go where the run may write, and what is printed is read at once. */
export function pythonEnvironment(
  { gpu, cores = 1 }: Pick<SlotRef, 'gpu' | 'cores'>,
  tmp: string,
): Record<string, string> {
  const threads = gpu !== null || cores === null ? [] : THREADS.map((name) => [name, String(cores)] as const);
  return {
    ...Object.fromEntries(threads),
    PYTHONUNBUFFERED: '1',
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
