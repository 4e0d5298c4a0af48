import { ApplicationFailure } from '@temporalio/activity';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Task } from '../../domain/task/task.ts';
import { hostFaultOf } from '../../domain/fault/host-fault.ts';
import { unseenBySetup } from '../../domain/tools/unseen-by-setup.ts';
import type { ActivityDeps } from '../deps.ts';
import { adviceOn } from '../host/advice-on.ts';
import { stageOf } from '../task/task-stage.ts';
import { environmentOn } from '../task/environment.ts';
import { ensureStaged } from './ensure-staged.ts';
import { retrySetup } from './retry-setup.ts';
import { withTimeLimit } from './with-time-limit.ts';

type Version = Pick<TaskVersion, 'hash' | 'stageHash' | 'task' | 'mutablePaths' | 'stagesMutable'>;

interface SetupOnHost {
  host: string;
  /** Folders that come first on the PATH of the setup's commands. */
  path: string[];
  setup: NonNullable<Task['setup']>;
  signal: AbortSignal;
  onOutput: (line: string) => void;
}

/**
 * Runs a task's setup on a host. Tries again if the workspace was damaged meanwhile, and, on this machine, if the setup
 * fails; each at most three times. Throws a `SetupFailedError`, also if the setup takes more than
 * `setup.timeoutSeconds`. If a command was not found, the message ends with its location on the host, if there is one.
 */
export async function runSetup(deps: ActivityDeps, version: Version, target: SetupOnHost): Promise<void> {
  const { host } = target;
  const tried = retrySetup(deps, target, async () => {
    // The host may have been cleared since the launch.
    await ensureStaged(deps, deps.hosts.computeOf(host), version);
    const environment = await environmentOn(deps, version, host);
    await setUp(deps, { ...target, stageHash: stageOf(deps, version), environment }).catch((error: unknown) => {
      throw version.stagesMutable ? error : addMutableFileAdvice(error, version.mutablePaths);
    });
  });
  await tried.catch(async (error: unknown) => {
    throw error instanceof ApplicationFailure ? await addToolAdvice(deps, { host, task: version.task }, error) : error;
  });
}

/**
 * Adds advice to a setup failure that names a mutable file, which a setup cannot see. Returns any other error
 * unchanged.
 */
export function addMutableFileAdvice(error: unknown, mutablePaths: readonly string[]): unknown {
  const fault = hostFaultOf(error);
  if (fault?.code !== 'setup-failed') return error;
  const advice = unseenBySetup({ message: fault.message, log: fault.logTail }, mutablePaths);
  return advice === null ? error : Object.assign(fault, { message: `${fault.message}\n${advice}` });
}

/** Exit codes of a shell that could not start a command. */
const NOT_STARTED = /exit code (126|127)\b/;

async function addToolAdvice(
  deps: ActivityDeps,
  { host, task }: { host: string; task: Task },
  error: ApplicationFailure,
): Promise<ApplicationFailure> {
  const code = NOT_STARTED.exec(error.message)?.[1];
  if (error.type !== 'SetupFailedError' || code === undefined) return error;
  const advice = await adviceOn(deps, { host, task, said: { exitCode: Number(code), log: error.message } });
  return advice === null ? error : ApplicationFailure.nonRetryable(`${error.message}\n${advice}`, error.type);
}

async function setUp(
  deps: ActivityDeps,
  target: SetupOnHost & { stageHash: string; environment: string | undefined },
): Promise<void> {
  const { host, stageHash, environment, path, onOutput, signal } = target;
  const { commands, timeoutSeconds: seconds } = target.setup;
  const tooLong = `setup: expected it to end within ${seconds} s; make it faster or raise setup.timeoutSeconds`;
  await withTimeLimit({ signal, seconds, tooLong }, (limited) =>
    deps.hosts
      .computeOf(host)
      .prepare(stageHash, commands, { ...limited, onOutput, limitSeconds: seconds, path, environment }),
  );
}
