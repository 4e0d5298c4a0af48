import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  describeIssue,
  InjectOnceArgs,
  tooLarge,
  UPDATES,
  type InjectOnce,
  type InjectResult,
} from '../../../domain/messages.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb, withTemporal, type Temporal } from '../../context.ts';
import { CliError, refused } from '../../errors.ts';
import { quiet, type Call } from '../session.ts';
import { RESEARCH, tool, type Tool } from './tool.ts';

/** Longest wait for the research's answer. It is handled at once, unless no worker runs. */
const ANSWER_MS = 45_000;

export const PROPOSE: Tool = tool({
  name: 'propose',
  title: 'Try your own change',
  description:
    'Runs your version of the mutable files as the next trial, ahead of other proposals, and returns its key ' +
    'at once. Then call wait with the key. Give whole files, not diffs. Mutable files that you leave out are those ' +
    "of the task's starting point, usually the lead.",
  input: {
    research: RESEARCH,
    files: z
      .record(z.string(), z.string())
      .describe('Whole new text of each changed file, by its path in the workspace.'),
    delete: z
      .array(z.string().min(1).max(1024))
      .max(500)
      .optional()
      .describe('Mutable files to delete, if the task allows it.'),
    hypothesis: z.string().min(1).max(2000).describe('Why this should be better, in one or two sentences.'),
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Your name of this idea. The same key twice is one idea, so a repeated call is safe.'),
  },
  readOnly: false,
  run: async ({ research: named, files, delete: removed, hypothesis, key = randomUUID() }, call) => {
    const idea = { files, hypothesis, key, ...(removed === undefined ? {} : { delete: removed }) };
    requireSound(idea);
    const research = await withDb(quiet(call), (db) => pickResearch(db, named));
    await inject(call, research.id, idea);
    const next = `Call wait with the key. The trial starts as soon as the research has room for it.`;
    return { text: JSON.stringify({ research: research.id, key }), notes: [next] };
  },
});

/** Refuses an idea that no research takes, before anything is sent. */
function requireSound(idea: InjectOnce): void {
  const parsed = InjectOnceArgs.safeParse(idea);
  const why = parsed.success ? tooLarge(idea) : describeIssue(parsed.error, idea);
  if (why !== null) throw refused(`The idea was refused: ${why}`);
}

const inject = (call: Call, id: string, idea: InjectOnce): Promise<InjectResult> =>
  withTemporal(quiet(call), async (temporal) => {
    const limit = AbortSignal.any([call.signal, AbortSignal.timeout(ANSWER_MS)]);
    try {
      return await temporal.client.connection.withAbortSignal(limit, () => send(temporal, id, idea));
    } catch (error) {
      throw toRefusal(error, { id, idea, isOver: limit.aborted });
    }
  });

const send = ({ client }: Temporal, id: string, idea: InjectOnce): Promise<InjectResult> =>
  client.workflow.getHandle(id).executeUpdate<InjectResult, [InjectOnce]>(UPDATES.inject, { args: [idea] });

/** Converts errors of Temporal, whose classes are not imported: that would load its client. */
function toRefusal(error: unknown, { id, idea, isOver }: { id: string; idea: InjectOnce; isOver: boolean }): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'WorkflowNotFoundError')
    return refused(
      `Expected a running research ${id}; it has ended. ` +
        `To go on with it: \`npx perpetua start TASK --id ${shellWord(id)}\`.`,
    );
  if (error.name === 'WorkflowUpdateFailedError')
    return refused(`The idea was refused: ${error.cause instanceof Error ? error.cause.message : error.message}`);
  if (isOver)
    return new CliError(
      'unreachable',
      `Expected an answer of the research ${id} within ${ANSWER_MS / 1000} seconds, got none: ` +
        `no worker may be running. The idea may still be taken. ` +
        `Call propose again with the key ${JSON.stringify(idea.key)}: it stays one idea.`,
    );
  return error;
}
