import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { SYSTEM_PATH } from '../../system-path.ts';

/** A started supervisor. */
export interface Started {
  /** Exit code; undefined while the supervisor runs, null if the shell that started it is gone. */
  exitCode: () => number | null | undefined;
}

/** Starts supervisors. `script` and `control` are absolute paths under the home. */
export interface SupervisorStarter {
  start: (script: string, control: string) => Started;
  /** Replaces the shell that starts supervisors, for callers that suspect that it hangs. */
  renew: () => void;
}

/**
 * Shell program that starts supervisors. It reads an id, a script and a control directory, a line each; the paths are
 * relative to its argument, the home. For each supervisor that ends, it writes the id and the exit code.
 */
const SCRIPT = `
umask 077
while IFS= read -r id && IFS= read -r script && IFS= read -r control; do
  {
    setsid /bin/sh "$1/$script" "$1/$control" </dev/null >>"$1/$control/supervisor.log" 2>&1
    echo "$id $?"
  } &
  # Reaps the jobs that ended.
  jobs >/dev/null 2>&1
done`;

interface Helper {
  shell: ChildProcessByStdio<Writable, Readable, null>;
  /** Receivers of the exit code by the id of the start. */
  waiting: Map<number, (code: number | null) => void>;
}

/**
 * Starts supervisors from a shell, because a fork of the worker blocks it: copying the page tables of some hundred
 * megabytes takes 7 to 10 ms, a write to the shell 0.1 ms. The shell ends with the worker, its supervisors do not.
 */
export function createSupervisorStarter(home: string): SupervisorStarter {
  let helper: Helper | undefined;
  let ids = 0;
  const forget = (gone: Helper): void => {
    if (helper === gone) helper = undefined;
    for (const setExitCode of gone.waiting.values()) setExitCode(null);
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
      // The end of its input ends the shell, once it reads again.
      helper?.shell.stdin.end();
      if (helper) forget(helper);
    },
  };
}

function startHelper(home: string, onGone: (helper: Helper) => void): Helper {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', home], {
    cwd: '/',
    detached: true,
    // The PATH of the worker must not decide which tools a supervisor uses.
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
  // The shell must not keep the process of the worker alive.
  shell.unref();
  for (const pipe of [shell.stdin, shell.stdout]) if (pipe instanceof Socket) pipe.unref();
  return helper;
}
