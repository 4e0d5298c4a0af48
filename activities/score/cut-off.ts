import { ApplicationFailure } from '@temporalio/activity';
import { createTally } from '../../domain/fleet/tally.ts';
import { isApart } from '../../domain/is-apart.ts';
import type { Conversation } from '../../infra/compute.ts';
import type { Asked } from './machine-failed.ts';
import type { ScoreContext } from './types.ts';

/** Conversations with one run, in a row, that began and came to no end of their own, after which it is not asked again. */
const MOST = 3;

/** Pause before a program is asked again whose conversation was cut off, though its host answers. */
const RETRY_AFTER = '3 seconds';

/** On this worker. An outage takes one, or two; a program that cuts itself off would be asked for ever. */
const cutOffs = createTally();

/**
 * What came of a conversation. What is held apart, as its run was, cannot have cut itself off: that is its host's, which is waited
 * for. Else a cut is a fault of the host only where that does not answer now; the program is asked again, and the last time
 * this is what came of one that nobody knows the end of.
 */
export async function unlessCutOff(
  { deps, run, end, conversation, signal }: Pick<ScoreContext, 'deps' | 'run' | 'end'> & Talk,
  talk: () => Promise<Asked>,
): Promise<Asked> {
  const key = `${run.trialId} ${run.placement}`;
  try {
    const asked = await talk();
    cutOffs.forget(key);
    return asked;
  } catch (error) {
    if (isApart(end) || signal.aborted || deps.isTaken(error) || deps.isRunGone(error)) throw error;
    if (deps.hostFault(error) === null && !(await isCutOff(conversation))) throw error;
    const count = cutOffs.add(key, Date.now());
    if (count >= MOST) return UNKNOWN;
    await deps.computeOf(run.host).inspect(run);
    const message = `${error instanceof Error ? error.message : String(error)} (${count} in a row)`;
    throw ApplicationFailure.create({ message, type: 'CutOff', nextRetryDelay: RETRY_AFTER });
  }
}

interface Talk {
  conversation: Conversation;
  signal: AbortSignal;
}

/** Whether it came to no end, gave way to another, or came to the end of who slept, which such a program can forge. */
async function isCutOff({ ended }: Conversation): Promise<boolean> {
  const end = await ended.catch(() => null);
  return end === null || end.reason === 'wall';
}

const UNKNOWN: Asked = {
  scored: {
    ok: false,
    status: 'crashed',
    failure: { label: 'candidate-protocol', message: `expected an end of its answers; ${MOST} in a row were cut off` },
  },
  talk: undefined,
};
