import { spawn } from 'node:child_process';
import { type BrokenGpu, type Gpu, GPU_COLUMNS, parseBrokenGpus, parseGpus } from '../../domain/fleet/gpus.ts';
import { SYSTEM_PATH } from '../system-path.ts';

const WAIT_MS = 10_000;
const QUERY = [`--query-gpu=${GPU_COLUMNS}`, '--format=csv,noheader,nounits'];

/**
 * Reads the GPUs of this machine from nvidia-smi; `absent` if it is not on the PATH, else the reason of its failure. If
 * nvidia-smi hangs (after a GPU fell off the bus), it is left behind: nothing ends a process that hangs in the kernel.
 */
export async function machineGpus(
  env: Readonly<Record<string, string | undefined>>,
  waitMs: number = WAIT_MS,
): Promise<{ gpus: Gpu[]; broken: BrokenGpu[] } | 'absent' | { fault: string }> {
  const named = await runNvidiaSmi(env, { args: QUERY, waitMs });
  if (named === 'absent' || 'fault' in named) return named;
  // Only this list has the partitions of a GPU (MIG).
  const list = await runNvidiaSmi(env, { args: ['-L'], waitMs });
  const partitions = list === 'absent' || 'fault' in list ? '' : list.output;
  return { gpus: parseGpus(`${named.output}\n${partitions}`), broken: parseBrokenGpus(named.output) };
}

/** Runs nvidia-smi; returns its output, or the reason of its failure. */
function runNvidiaSmi(
  { PATH = '', LD_LIBRARY_PATH }: Readonly<Record<string, string | undefined>>,
  { args, waitMs }: { args: readonly string[]; waitMs: number },
): Promise<{ output: string } | 'absent' | { fault: string }> {
  return new Promise((resolve) => {
    const child = spawn('nvidia-smi', args, {
      // Some containers have its library only on LD_LIBRARY_PATH.
      env: { PATH: `${SYSTEM_PATH}:${PATH}`, ...(LD_LIBRARY_PATH && { LD_LIBRARY_PATH }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const pipe of [child.stdout, child.stderr])
      pipe.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.unref();
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
      resolve({ fault: `nvidia-smi gave no answer within ${waitMs / 1000} s: the driver or a GPU is gone` });
    }, waitMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(error.code === 'ENOENT' ? 'absent' : { fault: error.message });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? { output } : { fault: `nvidia-smi ended with ${code}: ${output.trim()}` });
    });
  });
}
