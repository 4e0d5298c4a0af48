import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { isFault } from '../../domain/fault/host-fault.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps } from '../deps.ts';
import { stageOf } from '../task/drawn.ts';
import { environmentOn, pythonOf } from '../task/environment.ts';
import { haveStaged } from './have-staged.ts';
import { withOutput } from './with-output.ts';

/** Times that one setup stages a workspace anew that was found damaged. */
const RESTAGINGS = 3;
/** Setups that fail, each after a pause, before the task's setup is taken to be broken: downloads fail by chance. */
const SETUP_TRIES = 3;
const SETUP_PAUSE_MS = 1000;

/** One that took too long is as long the next time: that is another error. */
const isSetupFailure = (error: unknown): boolean => isFault(error, 'setup-failed');

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

/** Builds a task's Python on a host where it is missing, in as many tries; throws a `SetupFailedError`. */
export const buildInTries = (
  deps: ActivityDeps,
  version: Version,
  on: Omit<SetupOn, 'setup' | 'path'>,
): Promise<void> =>
  inTries(deps, on, async () => {
    const python = await pythonOf(deps, version);
    if (python) await deps.environments.build(deps.hosts.computeOf(on.host), python, on);
  });

async function inTries(
  deps: ActivityDeps,
  on: { host: string; signal: AbortSignal },
  once: () => Promise<void>,
): Promise<void> {
  for (let [restagings, failures] = [0, 0]; ;)
    try {
      return await once();
    } catch (error) {
      // A setup that failed may have damaged it, which is no failure of its own.
      if (isFault(error, 'stage-missing')) {
        if ((restagings += 1) <= RESTAGINGS) continue;
        throw ApplicationFailure.nonRetryable(
          `setup: expected it to leave its workspace whole; ${restagings} were damaged, by it or by something on that machine that cleans`,
          'SetupFailedError',
        );
      }
      // In the place of a host that fails another may do.
      const isFinal = !deps.hosts.isOwnHost(on.host) || !isSetupFailure(error);
      if (isFinal || (failures += 1) === SETUP_TRIES) throw withOutput(error);
      await sleep(SETUP_PAUSE_MS, undefined, { signal: on.signal });
    }
}

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
