import { z } from 'zod';
import { isSettled, type Followed } from '../../../domain/mcp/followed.ts';
import { LARGEST_N } from '../../../domain/messages.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { followTrial } from '../../steering/follow-trial.ts';
import type { Subject } from '../../steering/read-followed.ts';
import type { Answer } from '../answer.ts';
import { quiet } from '../session.ts';
import { RESEARCH, tool, type Tool } from './tool.ts';

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
    const { followed, text } = await followTrial(quiet(call), {
      researchId: id,
      unit: task.metric.unit,
      subject,
      until,
      deadline: Date.now() + seconds * 1000,
      onText: call.report,
    });
    return answerOf(followed, { settled: isSettled(followed, until), text });
  },
});

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
