import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { identify, isAlive } from '../../../infra/process/identity.ts';

const noPython = spawnSync('python3', ['-c', '']).status === 0 ? '' : ' (skipped: no python3)';
/** Its first thread ends, another one stays. */
const HEADLESS = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
print('up', flush=True)
ctypes.CDLL(None).pthread_exit(None)
`;

it.skipIf(noPython !== '')(`a process lives until the last of its threads has ended${noPython}`, async () => {
  const child = spawn('python3', ['-c', HEADLESS], { stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = child.pid ?? 0;
  const born = identify(pid);
  await once(child.stdout, 'data');
  await expect.poll(() => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]).toBe('Z');
  expect(born && isAlive(born)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(born && isAlive(born)).toBe(false);
});
