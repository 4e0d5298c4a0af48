const GONE_MS = 10_000;

/** Stops and kills the processes that `scan` finds until two scans find none; an error names them by `owner`. */
export async function killAll(scan: () => Promise<number[]>, owner: string): Promise<void> {
  const end = Date.now() + GONE_MS;
  for (let empty = 0; empty < 2;) {
    const found = await scan();
    empty = found.length === 0 ? empty + 1 : 0;
    if (found.length > 0 && Date.now() > end)
      throw new Error(`kill: expected processes ${found.join(', ')} of ${owner} to be gone within ${GONE_MS / 1000} s`);
    // Stops all of them first, so that none starts a new process while the others die.
    for (const pid of found) signal(pid, 'SIGSTOP');
    for (const pid of found.length > 0 ? [...found, ...(await scan())] : []) signal(pid, 'SIGKILL');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // EPERM: a process of another user, such as one started by sudo; if it stays, the error above names it.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
