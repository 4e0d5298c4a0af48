import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, type ProcessIdentity } from './identity.ts';
import { rotateLog } from './log-file.ts';

export interface DetachedOptions {
  command: string;
  /** First word of the visible command line, to hide the path of the program; default: the path. */
  argv0?: string;
  args: string[];
  /** The whole environment; nothing is inherited. */
  env: Record<string, string>;
  cwd: string;
  /** File to which stdout and stderr are appended. */
  logFile: string;
  /** User to run as; requires root. */
  user?: { uid: number; gid: number };
}

/** Starts a process in a session of its own, which a terminal's Ctrl-C and the death of this process do not end. */
export async function startDetached(options: DetachedOptions): Promise<ProcessIdentity> {
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o711 });
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
    // If the process died at once, the caller that waits for its health reports that, with the log.
    return identify(pid) ?? { pid, startedAt: 'ended at once' };
  } finally {
    closeSync(log);
  }
}
