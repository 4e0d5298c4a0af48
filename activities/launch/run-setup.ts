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

interface SetupOn {
  host: string;
  /** First on the PATH of its commands. */
  path: string[];
  setup: NonNullable<Task['setup']>;
  signal: AbortSignal;
  onOutput: (line: string) => void;
}

/**
 * Runs a task's setup on a host: in its place again where somebody damaged the workspace meanwhile (three times), and where
 * the setup fails and there is no other host (three times, a second apart). Throws a `SetupFailedError`, also where it takes
 * more than `setup.timeoutSeconds`. Its message ends with where the machine has what a command did not find.
 */
export async function runSetup(deps: ActivityDeps, version: Version, on: SetupOn): Promise<void> {
  const tried = retrySetup(deps, on, async () => {
    // Somebody may have cleared the host since the launch.
    await ensureStaged(deps, deps.hosts.computeOf(on.host), version);
    const environment = await environmentOn(deps, version, on.host);
    await setUp(deps, { ...on, stageHash: stageOf(deps, version), environment }).catch((error: unknown) => {
      throw version.stagesMutable ? error : addMutableFileAdvice(error, version.mutablePaths);
    });
  });
  await tried.catch(async (error: unknown) => {
    throw error instanceof ApplicationFailure
      ? await advised(deps, { host: on.host, task: version.task }, error)
      : error;
  });
}

/** A failure of a setup with what to do, where it asked for mutable files; any other error as it is. */
export function addMutableFileAdvice(error: unknown, mutablePaths: readonly string[]): unknown {
  const fault = hostFaultOf(error);
  if (fault?.code !== 'setup-failed') return error;
  const advice = unseenBySetup({ message: fault.message, log: fault.logTail }, mutablePaths);
  return advice === null ? error : Object.assign(fault, { message: `${fault.message}\n${advice}` });
}

/** Exit codes of a shell that could not start a command. */
const NOT_STARTED = /exit code (126|127)\b/;

async function advised(
  deps: ActivityDeps,
  of: { host: string; task: Task },
  error: ApplicationFailure,
): Promise<ApplicationFailure> {
  const code = NOT_STARTED.exec(error.message)?.[1];
  if (error.type !== 'SetupFailedError' || code === undefined) return error;
  const advice = await adviceOn(deps, { ...of, said: { exitCode: Number(code), log: error.message } });
  return advice === null ? error : ApplicationFailure.nonRetryable(`${error.message}\n${advice}`, error.type);
}

async function setUp(
  deps: ActivityDeps,
  of: SetupOn & { stageHash: string; environment: string | undefined },
): Promise<void> {
  const { environment, path, onOutput, signal } = of;
  const { commands, timeoutSeconds: seconds } = of.setup;
  const tooLong = `setup: expected it to end within ${seconds} s; make it faster or raise setup.timeoutSeconds`;
  await withTimeLimit({ signal, seconds, tooLong }, (on) =>
    deps.hosts
      .computeOf(of.host)
      .prepare(of.stageHash, commands, { ...on, onOutput, limitSeconds: seconds, path, environment }),
  );
}
