import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, type ProcessIdentity } from './identity.ts';
import { rotateLog } from './log-file.ts';

export interface DetachedOptions {
  command: string;
  /** What its command line shows as its first word, where its path is nobody's business. */
  argv0?: string;
  args: string[];
  /** The whole environment. */
  env: Record<string, string>;
  cwd: string;
  /** Stdout and stderr are appended here. */
  logFile: string;
  /** Another user to run as; only root may. */
  user?: { uid: number; gid: number };
}

/** Starts a process in a session of its own: neither a terminal's Ctrl-C nor our own death reaches it. */
export async function startDetached(options: DetachedOptions): Promise<ProcessIdentity> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  rotateLog(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  try {
    const child = spawn(options.command, options.args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: options.env,
      cwd: options.cwd,
      ...(options.argv0 === undefined ? {} : { argv0: options.argv0 }),
      ...options.user,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    const pid = child.pid;
    if (pid === undefined) throw new Error(`Expected a process id for ${options.command}, got none.`);
    // A process that died at once is reported by who waits for its health, with its log.
    return identify(pid) ?? { pid, startedAt: 'ended at once' };
  } finally {
    closeSync(log);
  }
}
