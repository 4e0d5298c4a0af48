import type { FailureLabel } from '../trial.ts';
import { changeTaskCommand, resumeCommand } from '../messages/steer-commands.ts';
import { oneLine } from '../text/sanitize.ts';

/** Label of trials that ended because the database failed, was full, or refused a value. */
export const STORE_FAILED = 'database-failed' satisfies FailureLabel;
/** Beginning of the message of such a trial; the words of the database follow. */
export const STORE_MESSAGE = 'the database could not store the trial';
/** Label of trials whose task could not be set up on a host. */
export const SETUP_FAILED = 'setup-failed' satisfies FailureLabel;
/** Beginning of the message of such a trial; the last words of the setup follow. */
export const SETUP_MESSAGE = 'the setup of the task failed on its host (state of the hosts: npx perpetua fleet)';

/** Consecutive ends from which on a research waits. */
const HELD_FROM = 3;
/** Characters of the last words of a failure in the reason. */
const WORDS = 400;

interface HeldFailure {
  label: FailureLabel;
  /** Beginning of the message of such a trial. */
  message: string;
  /** Seconds from the last such end to the next try. */
  retrySeconds: number;
  /** The reason of the hold. It stays the same while more trials fail in the same way. */
  reason: (words: string, researchId: string) => string;
  /** True if the failures of another version of the task hold nothing. */
  ofTask: boolean;
}

/** Failures that stop new trials if they repeat: another trial would fail in the same way. */
export const HELD_FAILURES: readonly HeldFailure[] = [
  {
    label: STORE_FAILED,
    message: STORE_MESSAGE,
    retrySeconds: 300,
    reason: (words) =>
      `database: it could not store the last trials: ${words}. ` +
      'Mend the database; one trial every 5 minutes tries again',
    ofTask: false,
  },
  {
    label: SETUP_FAILED,
    message: SETUP_MESSAGE,
    retrySeconds: 3600,
    reason: (words, researchId) =>
      `setup: it failed in the last trials: ${words}. If the fault is in the task, mend it and send it ` +
      `(${changeTaskCommand(researchId, '/path')}); if it is in the machine, try again ` +
      `(${resumeCommand(researchId)}). One trial an hour tries by itself`,
    ofTask: true,
  },
];

/** Trials that one kind of failure ended one after the other, up to now. */
export interface RepeatedFailure {
  label: FailureLabel;
  inARow: number;
  /** Message of the newest one. */
  message: string;
  /** Seconds since the end of the newest one. */
  secondsSince: number;
}

/** A hold of new trials: the reason in words, and the number of trials that may start nevertheless. */
export interface Hold {
  label: FailureLabel;
  reason: string;
  room: 0 | 1;
}

/**
 * The hold of a research whose last trials failed in one of these ways; null if there is none. One trial at a time
 * tries again, after a time or at once if a person `retries`, so that a fault that stays does not run in a loop.
 */
export function holdOf(
  failures: readonly RepeatedFailure[],
  { researchId, running, retries }: { researchId: string; running: number; retries: boolean },
): Hold | null {
  for (const { label, message, retrySeconds, reason } of HELD_FAILURES) {
    const failure = failures.find((one) => one.label === label && one.inARow >= HELD_FROM);
    if (failure === undefined) continue;
    const isPrefixed = failure.message.startsWith(message);
    const words = isPrefixed ? failure.message.slice(message.length).replace(/^: /, '') : failure.message;
    return {
      label,
      reason: reason(oneLine(words).slice(0, WORDS), researchId),
      room: running === 0 && (retries || failure.secondsSince >= retrySeconds) ? 1 : 0,
    };
  }
  return null;
}
