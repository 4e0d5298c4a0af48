import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { SYSTEM_PATH } from '../../system-path.ts';

/** A supervisor that was started. */
export interface Started {
  /** Undefined while it is under way, null where nobody can say any more. */
  exitCode: () => number | null | undefined;
}

/** Starts supervisors: `script` and `control` are absolute, and lie under the home. */
export interface SupervisorStarter {
  start: (script: string, control: string) => Started;
  /** What is started from now on is started by another process: this one seems to hang. */
  renew: () => void;
}

/** Reads an id, a script and a control directory (both below the folder that is its argument), a line each; answers with the id and the exit code. */
const SCRIPT = `
umask 077
while IFS= read -r id && IFS= read -r script && IFS= read -r control; do
  {
    setsid /bin/sh "$1/$script" "$1/$control" </dev/null >>"$1/$control/supervisor.log" 2>&1
    echo "$id $?"
  } &
  # Takes note of those that ended.
  jobs >/dev/null 2>&1
done`;

interface Helper {
  shell: ChildProcessByStdio<Writable, Readable, null>;
  waiting: Map<number, (code: number | null) => void>;
}

/**
 * Starts them from a shell of its own: a fork of a worker copies the tables of some hundred megabytes of memory, for
 * which everything else there waits (7 to 10 ms; by the shell .1). It ends with the worker, what it started does not.
 */
export function createSupervisorStarter(home: string): SupervisorStarter {
  let helper: Helper | undefined;
  let ids = 0;
  const forget = (gone: Helper): void => {
    if (helper === gone) helper = undefined;
    for (const tell of gone.waiting.values()) tell(null);
    gone.waiting.clear();
  };
  const living = (): Helper => (helper ??= startHelper(home, forget));
  return {
    start: (script, control) => {
      const { shell, waiting } = living();
      const id = (ids += 1);
      let exit: number | null | undefined;
      waiting.set(id, (code) => (exit = code));
      shell.stdin.write(`${id}\n${relative(home, script)}\n${relative(home, control)}\n`);
      return { exitCode: () => exit };
    },
    renew: () => {
      // Its input ends, and so does it once it can.
      helper?.shell.stdin.end();
      if (helper) forget(helper);
    },
  };
}

function startHelper(home: string, onGone: (helper: Helper) => void): Helper {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', home], {
    cwd: '/',
    detached: true,
    // Never the caller's PATH.
    env: { PATH: SYSTEM_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (shell.pid === undefined) {
    shell.once('error', () => undefined);
    throw new Error(
      'expected to start /bin/sh, which starts the runs; is this machine out of processes or descriptors?',
    );
  }
  const helper: Helper = { shell, waiting: new Map() };
  shell.once('error', () => onGone(helper)).once('exit', () => onGone(helper));
  shell.stdin.on('error', () => undefined);
  createInterface(shell.stdout).on('line', (line) => {
    const [id = 0, code = null] = line.split(' ').map(Number);
    helper.waiting.get(id)?.(code);
    helper.waiting.delete(id);
  });
  // It is not what keeps us alive.
  shell.unref();
  for (const pipe of [shell.stdin, shell.stdout]) if (pipe instanceof Socket) pipe.unref();
  return helper;
}
