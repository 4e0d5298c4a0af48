import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { TOO_SLOW } from '../../../domain/artefact/find-code.ts';
import type { SearchMessage } from './search-thread.ts';

/** Most CPU seconds of a search, or seconds if the system does not report the CPU time of threads. */
export const MOST_SECONDS = 10;
const POLL_MS = 200;
/** Clock ticks per second in Linux's /proc. */
const TICKS = 100;

const BESIDE = new URL('./search-thread.js', import.meta.url);
/** Program of the thread: beside this module in a build, or in the build if Node runs the sources (tests). */
const BUILT = '../../../dist/infra/evaluate/artefact/search-thread.js';
const PROGRAM = existsSync(BESIDE) ? BESIDE : new URL(BUILT, import.meta.url);

/**
 * Searches an artefact in a thread of its own, so that a search of many seconds blocks nothing else. A search that
 * exceeds the limit of time, or the memory of a thread, counts as code.
 */
export async function searchInThread(content: Uint8Array, mostSeconds = MOST_SECONDS): Promise<string | null> {
  const copy = new Uint8Array(content);
  const worker = new Worker(PROGRAM, { workerData: copy, transferList: [copy.buffer], execArgv: [] });
  const began = performance.now();
  let thread: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      worker.on('message', (message: SearchMessage) => {
        if ('thread' in message) ({ thread } = message);
        else resolve(message.found);
      });
      worker.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(TOO_SLOW);
        else reject(error);
      });
      worker.on('exit', () => reject(new Error('expected the search of an artefact to report a result; it ended')));
      timer = setInterval(() => {
        usedSeconds(thread, began).then((used) => used > mostSeconds && resolve(TOO_SLOW), reject);
      }, POLL_MS);
    });
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
}

/** CPU seconds of a thread, so that a busy machine does not change the result; without /proc, seconds. */
async function usedSeconds(thread: string | null, began: number): Promise<number> {
  const text = thread === null ? null : await readFile(`${thread}/stat`, 'latin1').catch(() => null);
  if (text === null) return process.platform === 'linux' ? 0 : (performance.now() - began) / 1000;
  // User and system time are fields 14 and 15. The second field, the name in brackets, may have blanks.
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / TICKS;
}
