import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { isFault } from '../../domain/fault/host-fault.ts';
import type { PickDeps } from '../deps.ts';
import { toSetupFailure } from './to-setup-failure.ts';

/** Times that a setup stages a damaged workspace again. */
const RESTAGINGS = 3;
/** Failed setups after which the task's setup counts as broken; a single download may fail by chance. */
const SETUP_TRIES = 3;
const SETUP_PAUSE_MS = 1000;

/**
 * True for a setup whose commands failed. A setup that exceeded its time limit is another error, and is not tried
 * again.
 */
const isSetupFailure = (error: unknown): boolean => isFault(error, 'setup-failed');

/**
 * Prepares a host for a task, with retries where they may help: after damage to the workspace, and after a failed setup
 * on this machine. Throws a non-retryable `SetupFailedError`.
 */
export async function retrySetup(
  deps: PickDeps<'hosts', 'isOwnHost'>,
  { host, signal }: { host: string; signal: AbortSignal },
  once: () => Promise<void>,
): Promise<void> {
  for (let [restagings, failures] = [0, 0]; ;)
    try {
      return await once();
    } catch (error) {
      // Damage by the setup itself or by another program is counted apart from failures of the setup.
      if (isFault(error, 'stage-missing')) {
        if ((restagings += 1) <= RESTAGINGS) continue;
        throw ApplicationFailure.nonRetryable(
          `setup: expected an intact workspace after it; ${restagings} were damaged, ` +
            'by setup or by a program on the host that cleans files',
          'SetupFailedError',
        );
      }
      // On a host of the fleet the first failure is final: another host may succeed.
      const isFinal = !deps.hosts.isOwnHost(host) || !isSetupFailure(error);
      if (isFinal || (failures += 1) === SETUP_TRIES) throw toSetupFailure(error);
      await sleep(SETUP_PAUSE_MS, undefined, { signal });
    }
}
