import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  describeIssue,
  InjectOnceArgs,
  tooLarge,
  type InjectOnce,
  type InjectResult,
} from '../../../domain/messages.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { updateResearch } from '../../steering/update-research.ts';
import { quiet } from '../session.ts';
import { RESEARCH, tool, type Tool } from './tool.ts';

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
    await updateResearch<InjectResult>(quiet(call), {
      id: research.id,
      name: 'inject',
      args: idea,
      onRepeat: `Call propose again with the key ${JSON.stringify(key)}: it stays one idea.`,
    });
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
