const GONE_MS = 10_000;

/** Stop, scan, kill until two scans find nothing; `of` names in an error what they belong to. */
export async function killAll(scan: () => Promise<number[]>, of: string): Promise<void> {
  const end = Date.now() + GONE_MS;
  for (let empty = 0; empty < 2;) {
    const found = await scan();
    empty = found.length === 0 ? empty + 1 : 0;
    if (found.length > 0 && Date.now() > end)
      throw new Error(`kill: expected processes ${found.join(', ')} of ${of} to be gone within ${GONE_MS / 1000} s`);
    // Stopped first, so that none of them starts another while the rest dies.
    for (const pid of found) signal(pid, 'SIGSTOP');
    for (const pid of found.length > 0 ? [...found, ...(await scan())] : []) signal(pid, 'SIGKILL');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone, or of another user (what was started by sudo): if that stays, it is named.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
