import { spawn, type ChildProcess } from 'node:child_process';
import { relative } from 'node:path';
import { SYSTEM_PATH } from '../../system-path.ts';

/** A supervisor that was started. */
export interface Started {
  /** Undefined while it is under way, null where nobody can say any more. */
  exitCode: () => number | null | undefined;
}

/** Starts supervisors: `script` and `control` are absolute, and lie under the home. */
export interface Starter {
  start: (script: string, control: string) => Started;
}

/** Reads an id, a script and a control directory (below its own folder), a line each; answers with the id and the exit code. */
const SCRIPT = `
umask 077
while IFS= read -r id && IFS= read -r script && IFS= read -r control; do
  {
    setsid /bin/sh "$PWD/$script" "$PWD/$control" </dev/null >>"$control/supervisor.log" 2>&1
    echo "$id $?"
  } &
  # Takes note of those that ended.
  jobs >/dev/null 2>&1
done`;

interface Helper {
  process: ChildProcess;
  waiting: Map<number, (code: number | null) => void>;
}

/**
 * Starts them from a shell of its own: a fork of a worker copies the tables of some hundred megabytes of memory, for
 * which everything else there waits (7 to 10 ms; by the shell .1). It ends with the worker, what it started does not.
 */
export function createStarter(home: string): Starter {
  let helper: Helper | undefined;
  let ids = 0;
  const living = (): Helper => (helper ??= startHelper(home, (gone) => helper === gone && (helper = undefined)));
  return {
    start: (script, control) => {
      const { process, waiting } = living();
      const id = (ids += 1);
      let exit: number | null | undefined;
      waiting.set(id, (code) => (exit = code));
      process.stdin?.write(`${id}\n${relative(home, script)}\n${relative(home, control)}\n`);
      return { exitCode: () => exit };
    },
  };
}

function startHelper(home: string, onGone: (helper: Helper) => void): Helper {
  const process = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: home,
    detached: true,
    // Never the caller's PATH.
    env: { PATH: SYSTEM_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const helper: Helper = { process, waiting: new Map() };
  const tell = (id: number, code: number | null): void => {
    helper.waiting.get(id)?.(code);
    helper.waiting.delete(id);
  };
  const gone = (): void => {
    onGone(helper);
    for (const id of [...helper.waiting.keys()]) tell(id, null);
  };
  process.once('error', gone).once('exit', gone);
  // It is not what keeps us alive.
  process.unref();
  for (const pipe of [process.stdin, process.stdout]) (pipe as { unref?: () => void } | null)?.unref?.();
  process.stdin?.on('error', () => undefined);
  let partial = '';
  process.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (partial + text).split('\n');
    partial = lines.pop() ?? '';
    for (const line of lines) {
      const [id, code] = line.split(' ').map(Number);
      if (id !== undefined) tell(id, code ?? null);
    }
  });
  return helper;
}
