import { spawn } from 'node:child_process';
import { type Gpu, parseGpus } from '../domain/fleet/gpus.ts';
import { SYSTEM_PATH } from './system-path.ts';

const WAIT_MS = 10_000;
const WORDS = ['--query-gpu=index,uuid,name,memory.total', '--format=csv,noheader,nounits'];

/**
 * What nvidia-smi of this machine names; `absent` where there is none on the PATH, else why it failed. One that hangs, as it does
 * where a GPU fell off, is left behind: nothing ends what hangs in the kernel.
 */
export function machineGpus(path: string, waitMs: number = WAIT_MS): Promise<Gpu[] | 'absent' | { fault: string }> {
  return new Promise((resolve) => {
    const child = spawn('nvidia-smi', WORDS, {
      env: { PATH: `${SYSTEM_PATH}:${path}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    for (const pipe of [child.stdout, child.stderr])
      pipe.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
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
      resolve(code === 0 ? parseGpus(said) : { fault: `nvidia-smi ended with ${code}: ${said.trim()}` });
    });
  });
}
