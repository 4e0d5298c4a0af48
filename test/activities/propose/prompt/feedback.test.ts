import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { agentPromptOf, chatPromptOf } from '../../../../activities/propose/prompt/messages-of.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';
import type { TaskVersion } from '../../../../db/task/task-version.ts';
import { MEMORY_FORMAT } from '../../../../domain/edit/answer/memory.ts';
import type { Feedback } from '../../../../domain/metric/feedback.ts';
import { mutableOnly } from '../../../../domain/edit/scope/edit-scope.ts';
import { Task } from '../../../../domain/task/task.ts';
import { BASELINE, insertResearch, storeTrials, TASK, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const SECRET = 'the held-out answer is 42';
const cases = (text: string): Feedback => ({
  cases: [
    { name: 'public case', value: 0.5, text },
    { name: 'hidden case', value: 0.1, text: SECRET, heldOut: true },
  ],
  omitted: 0,
});
const ended = (value: number) => ({ status: 'completed' as const, value, endedAt: new Date() });

/** The prompts of a model and of an agent for trial 9 of a research, whose files are those of trial 2. */
async function promptsIn(id: string, task: Task): Promise<string[]> {
  const research = await bench.store.research.findResearch(id);
  if (!research) return expect.unreachable();
  const context = {
    deps: {
      store: bench.store,
      pools: { hardware: () => Promise.resolve([]), programs: () => Promise.resolve([]) },
      tasks: { shownFiles: () => ({}) },
    } as unknown as ActivityDeps,
    trial: await bench.store.trial.loadTrial(`${id}/9`),
    version: { task, hash: 'task-1', mutablePaths: ['train.mjs'], prompt: null } as unknown as TaskVersion,
    scope: mutableOnly(['train.mjs']),
    files: { 'train.mjs': 'const LR = 0.05;\n' },
    signal: new AbortController().signal,
  } satisfies ProposeContext;
  const { messages } = await chatPromptOf(context, { research, correction: null });
  return [messages.map(({ content }) => content).join('\n'), await agentPromptOf(context, research)];
}

const taskWith = (feedback: boolean, context: object = {}): Task =>
  Task.parse({
    ...TASK,
    evaluator: { type: 'artefact', command: 'node evaluate.mjs', feedback },
    search: { context: { name: 'history', ...context } },
  });

async function story(id: string): Promise<void> {
  await insertResearch(bench.db, id, { lastN: 9 });
  await storeTrials(bench.db, [
    trialRow(id, 1, { kind: 'baseline', candidateId: BASELINE, ...ended(2), feedback: cases('of the original') }),
    trialRow(id, 2, { candidateId: WINNER, parentId: BASELINE, ...ended(1.5), feedback: cases('of the parent') }),
    trialRow(id, 9, { parentId: WINNER, proposer: 'llm' }),
  ]);
}

test('a prompt shows the cases of the parent only if the task says so, and never one that is held out', async () => {
  await story('cases');
  for (const text of await promptsIn('cases', taskWith(true))) {
    expect(text).toContain('- trial 2, which ran the files above\n```said\npublic case: 0.5 · of the parent\n```');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('hidden case');
  }
  for (const text of await promptsIn('cases', taskWith(false))) expect(text).not.toContain('public case');
});

test('a prompt shows no cases of a trial whose artefact may have executed code in the evaluator', async () => {
  await story('code');
  await storeTrials(bench.db, [
    trialRow('code', 5, { candidateId: WINNER, ...ended(1.5), feedback: cases('stolen'), artefactCode: 'a pickle' }),
  ]);
  for (const text of await promptsIn('code', taskWith(true))) {
    expect(text).toContain('of the parent');
    expect(text).not.toContain('stolen');
  }
});

test('a prompt has the latest memory as data, and the form in which an answer replaces it', async () => {
  await story('memory');
  const keeping = taskWith(false, { memory: true });
  const [empty] = await promptsIn('memory', keeping);
  expect(empty).toContain(MEMORY_FORMAT);
  const researchId = 'memory';
  await bench.store.trial.saveMemory({ researchId, trialId: 'memory/2', text: 'an older version\n' });
  await bench.store.trial.saveMemory({ researchId, trialId: 'memory/1', text: 'wide is bad\n' });
  const [chat] = await promptsIn('memory', keeping);
  expect(chat).toContain('your memory, as trial 1 left it\n\n```said\nwide is bad\n```');
  expect(chat).not.toContain('an older version');
  const [without] = await promptsIn('memory', taskWith(false));
  expect(without).not.toContain('PERPETUA-MEMORY.md');
});
