import { ApplicationFailure } from '@temporalio/activity';
import { failedHost } from '../../domain/fault/attribute.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { createStreakCounter } from '../../domain/fleet/streak-counter.ts';
import { isIsolated } from '../../domain/fault/is-isolated.ts';
import type { Conversation } from '../../infra/compute.ts';
import type { AnsweredScore } from './lose-run-on-machine-failure.ts';
import type { ScoreContext } from './score-context.ts';

/** Conversations in a row with one run that were cut off, after which the run is not questioned again. */
const MOST = 3;
/**
 * The same for an isolated program, which cannot have cut the conversation itself: its host may come and go for a
 * while.
 */
const MOST_ISOLATED = 10;

/** Pause in ms before a program is questioned again after a cut, while its host answers; it grows with each cut. */
const pauseAfter = (count: number): number => Math.min(60_000, 3000 * 2 ** (count - 1));

/** Cut conversations in a row, on this worker. An outage counts once: no conversation begins while the host is away. */
const cutOffs = createStreakCounter();
/** Failed scores in a row that the network may have caused. */
const doubts = createStreakCounter();

/**
 * Runs a conversation and returns its score. A conversation that was cut off is repeated by a retryable failure; if the
 * host does not answer after the cut, the error of its inspection is thrown, which waits for the host. After {@link
 * MOST} cuts in a row, or {@link MOST_ISOLATED} of an isolated program, the candidate fails. A failure of the evaluator
 * that an outage may have caused is repeated, too, and stands after {@link MOST}.
 */
export async function retryCutConversation(
  { deps, run, conversation, signal }: Pick<ScoreContext, 'deps' | 'run'> & Talk,
  talk: () => Promise<AnsweredScore>,
): Promise<AnsweredScore> {
  const key = `${run.jobId} ${run.placement}`;
  let asked: AnsweredScore;
  try {
    asked = await talk();
  } catch (error) {
    if (signal.aborted || isFault(error, 'slot-taken') || isFault(error, 'run-gone')) throw error;
    if (failedHost(error) === null && !(await isCutOff(conversation))) throw error;
    const count = cutOffs.add(key, Date.now());
    if (count >= (isIsolated(conversation.confinement) ? MOST_ISOLATED : MOST)) return cutOff(count);
    // Throws if the host does not answer: then the host is waited for.
    await deps.hosts.computeOf(run.host).inspect(run);
    throw retryLater(error instanceof Error ? error.message : String(error), count);
  }
  const { scored } = asked;
  if (!scored.ok && scored.doubt !== undefined) {
    const count = doubts.add(key, Date.now());
    // After that the failure stands: an unstable network must not delay a verdict for ever.
    if (count < MOST) throw retryLater(`${scored.failure.message}; ${scored.doubt}`, count);
  }
  cutOffs.forget(key);
  doubts.forget(key);
  return asked;
}

const retryLater = (why: string, count: number): ApplicationFailure =>
  ApplicationFailure.create({
    message: `${why} (${count} in a row)`,
    type: 'CutOff',
    nextRetryDelay: pauseAfter(count),
  });

interface Talk {
  conversation: Conversation;
  signal: AbortSignal;
}

/**
 * True if the conversation has no end, was replaced by another, or ended at its wall clock. The last happens if the
 * worker slept, and a program without a sandbox can forge it.
 */
async function isCutOff({ ended }: Conversation): Promise<boolean> {
  const end = await ended.catch(() => null);
  return end === null || end.reason === 'wall';
}

const cutOff = (count: number): AnsweredScore => ({
  scored: {
    ok: false,
    status: 'crashed',
    failure: {
      label: 'candidate-protocol',
      message: `expected complete answers; ${count} conversations in a row were cut off`,
    },
  },
  programEnd: undefined,
});
