import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { UNBUFFERED } from '../compute/run-protocol/environment.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import { readEvaluator, type EvaluatorProcess } from './read-evaluator.ts';

/** Time from TERM to KILL. */
const GRACE_MS = 2000;

/** Settings that decide the environment of an evaluator. */
export interface EvaluatorSettings {
  directory: string;
  /** First entries of the PATH. */
  path?: readonly string[] | undefined;
  seed?: number | undefined;
  secret?: string | undefined;
  /** Variables that restrict the visible GPUs of this machine. */
  gpus?: Record<string, string> | undefined;
  /** Variables by which clients of models find the gateway. */
  models?: Record<string, string> | undefined;
}

// Kills the group when the worker dies: the worker's end of descriptor 4 then closes, whatever the cause.
const LIFELINE = '{ read -r _ <&4; kill -KILL 0; } </dev/null >/dev/null 2>&1 3>&- &\nexec 4<&-\n';

/** Starts the command in its directory, without a sandbox and without the worker's environment. */
export function startEvaluator(options: EvaluatorSettings & { command: string }): EvaluatorProcess {
  const child = spawn('/bin/sh', ['-c', `${LIFELINE}${options.command}`], {
    cwd: options.directory,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: evaluatorEnvironment(options),
  });
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  return readEvaluator(child, {
    descriptors: { result: 3, lifeline: 4 },
    exitOf: async (code, signal) => ({ code, signal, excess: null }),
    onExit: () => signalGroup('SIGKILL'),
    stop: () => {
      signalGroup('SIGTERM');
      setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) signalGroup('SIGKILL');
      }, GRACE_MS).unref();
    },
  });
}

/** Environment of the evaluator: a PATH with this Node, HOME and LANG, and nothing of the worker's environment. */
export const evaluatorEnvironment = ({
  directory,
  path = [],
  seed,
  secret,
  gpus,
  models,
}: EvaluatorSettings): Record<string, string> => ({
  PATH: [...path, dirname(process.execPath), SYSTEM_PATH].join(':'),
  HOME: directory,
  LANG: 'C.UTF-8',
  ...UNBUFFERED,
  ...gpus,
  ...models,
  ...(seed === undefined ? {} : { PERPETUA_SEED: String(seed) }),
  PERPETUA_RESULT_FD: '3',
  ...(secret === undefined ? {} : { PERPETUA_TASK_SECRET: secret }),
});
