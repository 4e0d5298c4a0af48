import type { ChildProcess } from 'node:child_process';
import { treeOf } from './list.ts';

/** Kills a child with its descendants when the signal aborts or this process exits. Returns a function to end that. */
export function killWithParent(child: ChildProcess, signal?: AbortSignal): () => void {
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killTree(child.pid);
  };
  signal?.addEventListener('abort', end, { once: true });
  process.once('exit', end);
  if (signal?.aborted) end();
  return () => {
    signal?.removeEventListener('abort', end);
    process.removeListener('exit', end);
  };
}

/** Stops all processes first, so that none starts a new one while the others die. */
function killTree(root: number): void {
  send(root, 'SIGSTOP');
  for (const pid of treeOf(root)) send(pid, 'SIGSTOP');
  for (const pid of treeOf(root).reverse()) send(pid, 'SIGKILL');
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
