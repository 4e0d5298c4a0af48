import { spawn } from 'node:child_process';
import { type Gpu, parseGpus } from '../domain/fleet/gpus.ts';
import { SYSTEM_PATH } from './system-path.ts';

const WAIT_MS = 10_000;
const WORDS = ['--query-gpu=index,uuid,name,memory.total', '--format=csv,noheader,nounits'];

/**
 * What nvidia-smi of this machine names; `absent` where there is none on the PATH, else why it failed. One that hangs, as it does
 * where a GPU fell off, is left behind: nothing ends what hangs in the kernel.
 */
export async function machineGpus(
  env: Readonly<Record<string, string | undefined>>,
  waitMs: number = WAIT_MS,
): Promise<Gpu[] | 'absent' | { fault: string }> {
  const gpus = await ask(env, { words: WORDS, waitMs });
  if (gpus === 'absent' || 'fault' in gpus) return gpus;
  // The parts that a GPU is cut into (MIG) stand in this list alone.
  const list = await ask(env, { words: ['-L'], waitMs });
  const parts = list === 'absent' || 'fault' in list ? '' : list.said;
  return parseGpus(`${gpus.said}\n${parts}`);
}

/** What nvidia-smi says to these words, or why it says nothing. */
function ask(
  { PATH = '', LD_LIBRARY_PATH }: Readonly<Record<string, string | undefined>>,
  { words, waitMs }: { words: readonly string[]; waitMs: number },
): Promise<{ said: string } | 'absent' | { fault: string }> {
  return new Promise((resolve) => {
    const child = spawn('nvidia-smi', words, {
      // In some containers its library is on that path alone.
      env: { PATH: `${SYSTEM_PATH}:${PATH}`, ...(LD_LIBRARY_PATH && { LD_LIBRARY_PATH }) },
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
      resolve(code === 0 ? { said } : { fault: `nvidia-smi ended with ${code}: ${said.trim()}` });
    });
  });
}
