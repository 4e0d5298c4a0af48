import { ApplicationFailure } from '@temporalio/activity';
import { failedHost } from '../../domain/fault/attribute.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { createStreakCounter } from '../../domain/fleet/streak-counter.ts';
import { isIsolated } from '../../domain/fault/is-isolated.ts';
import type { Conversation } from '../../infra/compute.ts';
import type { AnsweredScore } from './lose-run-on-machine-failure.ts';
import type { ScoreContext } from './score-context.ts';

/** Conversations with one run, in a row, that began and came to no end of their own, after which it is not asked again. */
const MOST = 3;
/** The same of a program that is held apart, and cannot have cut itself off: a host may come and go for a while. */
const MOST_APART = 10;

/** Pause before a program is asked again that was cut off, though its host answers: longer each time. */
const pauseAfter = (count: number): number => Math.min(60_000, 3000 * 2 ** (count - 1));

/** On this worker. An outage takes one, as a host that is away begins no conversation. */
const cutOffs = createStreakCounter();
/** Refusals in doubt, in a row. */
const doubts = createStreakCounter();

/**
 * What came of a conversation. A cut is a fault of the host only where that does not answer right after: then it is waited for.
 * In either case the program is asked again then, and after so many cuts this is what came of one that nobody knows the end of.
 * What is held apart cannot have cut itself off, and has more of them: a host that is never there long enough is no good either.
 * What an evaluator refuses after an outage is asked again as well, and believed in the end.
 */
export async function retryCutConversation(
  { deps, run, conversation, signal }: Pick<ScoreContext, 'deps' | 'run'> & Talk,
  talk: () => Promise<AnsweredScore>,
): Promise<AnsweredScore> {
  const key = `${run.trialId} ${run.placement}`;
  let asked: AnsweredScore;
  try {
    asked = await talk();
  } catch (error) {
    if (signal.aborted || isFault(error, 'slot-taken') || isFault(error, 'run-gone')) throw error;
    if (failedHost(error) === null && !(await isCutOff(conversation))) throw error;
    const count = cutOffs.add(key, Date.now());
    if (count >= (isIsolated(conversation.confinement) ? MOST_APART : MOST)) return cutOff(count);
    await deps.hosts.computeOf(run.host).inspect(run);
    throw again(error instanceof Error ? error.message : String(error), count);
  }
  const { scored } = asked;
  if (!scored.ok && scored.doubt !== undefined) {
    const count = doubts.add(key, Date.now());
    // Then it is believed: a network that is never there for long must not keep a verdict for ever.
    if (count < MOST) throw again(`${scored.failure.message}; ${scored.doubt}`, count);
  }
  cutOffs.forget(key);
  doubts.forget(key);
  return asked;
}

const again = (why: string, count: number): ApplicationFailure =>
  ApplicationFailure.create({
    message: `${why} (${count} in a row)`,
    type: 'CutOff',
    nextRetryDelay: pauseAfter(count),
  });

interface Talk {
  conversation: Conversation;
  signal: AbortSignal;
}

/** Whether it came to no end, gave way to another, or came to the end of who slept, which such a program can forge. */
async function isCutOff({ ended }: Conversation): Promise<boolean> {
  const end = await ended.catch(() => null);
  return end === null || end.reason === 'wall';
}

const cutOff = (count: number): AnsweredScore => ({
  scored: {
    ok: false,
    status: 'crashed',
    failure: { label: 'candidate-protocol', message: `expected an end of its answers; ${count} in a row were cut off` },
  },
  programEnd: undefined,
});
