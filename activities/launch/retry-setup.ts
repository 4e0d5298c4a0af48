import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { isFault } from '../../domain/fault/host-fault.ts';
import type { PickDeps } from '../deps.ts';
import { toSetupFailure } from './to-setup-failure.ts';

/** Times that one setup stages a workspace anew that was found damaged. */
const RESTAGINGS = 3;
/** Setups that fail, each after a pause, before the task's setup is taken to be broken: downloads fail by chance. */
const SETUP_TRIES = 3;
const SETUP_PAUSE_MS = 1000;

/** One that took too long is as long the next time: that is another error. */
const isSetupFailure = (error: unknown): boolean => isFault(error, 'setup-failed');

/** Does what prepares a host for a task, more than once where that may help; throws a `SetupFailedError` for good. */
export async function retrySetup(
  deps: PickDeps<'hosts', 'isOwnHost'>,
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
      if (isFinal || (failures += 1) === SETUP_TRIES) throw toSetupFailure(error);
      await sleep(SETUP_PAUSE_MS, undefined, { signal: on.signal });
    }
}
