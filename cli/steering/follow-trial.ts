import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import { hasEnded, isSettled, type Followed, type Until } from '../../domain/mcp/followed.ts';
import { describeFollowed } from '../../view/trial/followed.ts';
import { withDb } from '../context.ts';
import { toCliError } from '../errors.ts';
import type { Io } from '../io.ts';
import { readFollowed, type Subject } from './read-followed.ts';

const POLL_MS = 1000;
/** Progress is reported on each change, and this often without one: some listeners give up on long silence. */
const REPORT_EVERY_MS = 10_000;

export interface FollowInput {
  researchId: string;
  /** Unit of its metric. */
  unit: string | undefined;
  subject: Subject;
  until: Until;
  /** Time in ms at which the wait ends; default: never. */
  deadline?: number;
  /** Called with the state in words on each change, and from time to time without one. */
  onText: (text: string) => unknown;
}

export interface FollowResult {
  followed: Followed;
  /** The state in words. */
  text: string;
}

/**
 * Polls the database until the trial has settled, the research has ended, the deadline is over, or `io.signal` aborts.
 * An outage of Postgres, or a restart of the stack, only delays the answer.
 */
export async function followTrial(io: Io, input: FollowInput): Promise<FollowResult> {
  const { deadline = Infinity } = input;
  for (;;) {
    try {
      return await withDb(io, (db) => poll(db, io, input));
    } catch (error) {
      const isOutage = toCliError(error).code === 'unreachable';
      if (!isOutage || Date.now() >= deadline || io.signal?.aborted === true) throw error;
      await input.onText('Postgres does not answer; waiting for it');
      await pause(io, deadline);
    }
  }
}

async function poll(db: Db, io: Io, input: FollowInput): Promise<FollowResult> {
  const { researchId, unit, subject, until, deadline = Infinity, onText } = input;
  let reported = { text: '', at: 0 };
  for (;;) {
    const followed = await readFollowed(db, { researchId, subject });
    const text = describeFollowed(followed, unit);
    const isOver = Date.now() >= deadline || io.signal?.aborted === true;
    if (isSettled(followed, until) || hasEnded(followed) || isOver) return { followed, text };
    if (text !== reported.text || Date.now() - reported.at > REPORT_EVERY_MS) {
      reported = { text, at: Date.now() };
      await onText(text);
    }
    await pause(io, deadline);
  }
}

const pause = ({ signal }: Io, deadline: number): Promise<unknown> =>
  sleep(Math.max(0, Math.min(POLL_MS, deadline - Date.now())), undefined, signal ? { signal } : {}).catch(
    () => undefined,
  );
