import { ApplicationFailure } from '@temporalio/activity';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps } from '../deps.ts';
import { stageOf } from '../task/drawn.ts';
import { environmentOn } from '../task/environment.ts';
import { haveStaged } from './have-staged.ts';
import { inTries } from './in-tries.ts';

type Version = Pick<TaskVersion, 'hash' | 'stageHash' | 'task'>;

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
 * more than `setup.timeoutSeconds`.
 */
export const setUpInTries = (deps: ActivityDeps, version: Version, on: SetupOn): Promise<void> =>
  inTries(deps, on, async () => {
    // Somebody may have cleared the host since the launch.
    await haveStaged(deps, deps.hosts.computeOf(on.host), version);
    const environment = await environmentOn(deps, version, on.host);
    await setUp(deps, { ...on, stageHash: stageOf(deps, version), environment });
  });

async function setUp(
  deps: ActivityDeps,
  of: SetupOn & { stageHash: string; environment: string | undefined },
): Promise<void> {
  const { environment } = of;
  const { commands, timeoutSeconds } = of.setup;
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Who waits for another setup has not begun.
  const onBegin = (): void => void (timer ??= setTimeout(() => limit.abort(), timeoutSeconds * 1000));
  const until = AbortSignal.any([of.signal, limit.signal]);
  try {
    const watching = {
      onOutput: of.onOutput,
      onBegin,
      signal: until,
      limitSeconds: timeoutSeconds,
      path: of.path,
      environment,
    };
    await deps.hosts.computeOf(of.host).prepare(of.stageHash, commands, watching);
  } catch (error) {
    if (!limit.signal.aborted || of.signal.aborted) throw error;
    throw ApplicationFailure.nonRetryable(
      `setup: expected it to end within ${timeoutSeconds} s; make it faster or raise setup.timeoutSeconds`,
      'SetupFailedError',
    );
  } finally {
    clearTimeout(timer);
  }
}
