import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Db } from '../../../db/connect.ts';
import { hasEnded, isSettled, type Followed, type Until } from '../../../domain/mcp/followed.ts';
import { LARGEST_N } from '../../../domain/messages.ts';
import { describeFollowed } from '../../../view/trial/followed.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { refused, toCliError } from '../../errors.ts';
import type { Answer } from '../answer.ts';
import { readFollowed, type Subject } from '../read-followed.ts';
import { quiet, type Call } from '../session.ts';
import { RESEARCH, tool, type Tool } from './tool.ts';

const POLL_MS = 1000;
/** Progress is reported on each change, and this often without one: a client ends a call that is silent for long. */
const REPORT_EVERY_MS = 10_000;

export const WAIT: Tool = tool({
  name: 'wait',
  title: 'Wait for a trial',
  description:
    'Waits for the trial of a key that propose returned, or for a trial by its number, and returns how it ended. ' +
    'If `settled` is false, the time is over: call wait again, or go on with other work.',
  input: {
    research: RESEARCH,
    key: z.string().min(1).max(200).optional().describe('Key of an idea.'),
    n: z.int().min(1).max(LARGEST_N).optional().describe('Number of a trial, in place of a key.'),
    until: z
      .enum(['outcome', 'verdict'])
      .default('verdict')
      .describe('outcome: the run has ended and has its score. verdict: also keep or discard, which takes more runs.'),
    seconds: z
      .number()
      .min(0)
      .max(3600)
      .default(50)
      .describe("Longest wait. Many clients end a call after 60 seconds unless you raise the client's limit."),
  },
  readOnly: true,
  run: async ({ research, key, n, until, seconds }, call) => {
    if ((key === undefined) === (n === undefined)) throw refused('Expected either key or n, to name one trial.');
    const { id, task } = await withDb(quiet(call), (db) => pickResearch(db, research));
    const subject: Subject = key === undefined ? { n: n ?? 0 } : { key };
    const deadline = Date.now() + seconds * 1000;
    return wait(call, { researchId: id, unit: task.metric.unit, subject, until, deadline });
  },
});

interface Waiting {
  researchId: string;
  /** Unit of its metric. */
  unit: string | undefined;
  subject: Subject;
  until: Until;
  /** Time in ms at which the wait ends. */
  deadline: number;
}

/** Polls the database to the deadline. An outage of Postgres, or a restart of the stack, only delays the answer. */
async function wait(call: Call, waiting: Waiting): Promise<Answer> {
  for (;;) {
    try {
      return await withDb(quiet(call), (db) => follow(db, call, waiting));
    } catch (error) {
      const isOutage = toCliError(error).code === 'unreachable';
      if (!isOutage || Date.now() >= waiting.deadline || call.signal.aborted) throw error;
      await call.report('Postgres does not answer; waiting for it');
      await pause(call, waiting.deadline);
    }
  }
}

async function follow(db: Db, call: Call, { researchId, unit, subject, until, deadline }: Waiting): Promise<Answer> {
  let reported = { text: '', at: 0 };
  for (;;) {
    const followed = await readFollowed(db, { researchId, subject });
    const settled = isSettled(followed, until);
    const text = describeFollowed(followed, unit);
    if (settled || hasEnded(followed) || Date.now() >= deadline || call.signal.aborted)
      return answerOf(followed, { settled, text });
    if (text !== reported.text || Date.now() - reported.at > REPORT_EVERY_MS) {
      reported = { text, at: Date.now() };
      await call.report(text);
    }
    await pause(call, deadline);
  }
}

const pause = ({ signal }: Call, deadline: number): Promise<unknown> =>
  sleep(Math.max(0, Math.min(POLL_MS, deadline - Date.now())), undefined, { signal }).catch(() => undefined);

function answerOf({ key, trial, research }: Followed, { settled, text }: { settled: boolean; text: string }): Answer {
  const trialId = trial === null ? null : trialIdOf(research.id, trial.n);
  const end =
    trial === null
      ? null
      : {
          kind: trial.kind,
          status: trial.status,
          verdict: trial.verdict,
          value: trial.value,
          trusted: trial.trusted,
          failure: trial.failure,
          reason: trial.reason,
        };
  return { text: JSON.stringify({ settled, summary: text, key, trial: trialId, ...end, research }) };
}
