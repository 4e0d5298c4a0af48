import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createProposeActivities } from '../../../activities/propose.ts';
import { runSpecOf } from '../../../activities/run/run-spec.ts';
import { readDiff } from '../../../db/reads/diff/read-diff.ts';
import { unifiedDiff } from '../../../db/reads/diff/unified-diff.ts';
import { readWorkspace } from '../../../db/reads/read-files.ts';
import { readCalls, readTrial } from '../../../db/reads/read-trial.ts';
import type { Lease } from '../../../db/slot/slots.ts';
import * as schema from '../../../db/schema.ts';
import { Task } from '../../../domain/task/task.ts';
import { LlmError, type LlmAnswer, type LlmRequest } from '../../../infra/llm.ts';
import { readConversation } from '../../../view/trial/conversation.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const file = (path: string, text: string) => ({ path, content: Buffer.from(text), executable: false });
const WORKSPACE = [file('train.mjs', 'const LR = 0.1;\n'), file('lib/a.mjs', 'export {};\n'), file('run.sh', 'true\n')];
const ANSWER = {
  text: '',
  finishReason: 'tool_calls',
  refusal: null,
  model: 'm',
  tokensIn: 3,
  tokensOut: 5,
  latencySeconds: 1,
};

/** Opens a research under a task of its own, and its trials. */
async function open(
  id: string,
  { edits = 'tools', count = 1 }: { edits?: string; count?: number } = {},
): Promise<void> {
  const rules = { create: ['lib/*.mjs'], remove: ['lib/*.mjs'] };
  const task = Task.parse({ ...TASK, mutable: ['train.mjs', 'lib/*.mjs'], edits: rules, llm: { edits } });
  const hash = `task-${id}`;
  await bench.store.task.saveTaskVersion({
    hash,
    task,
    yaml: '',
    prompt: null,
    immutableHash: 'i',
    evaluatorHash: 'e',
    metricKey: 'm',
    stageHash: 's',
    mutablePaths: ['lib/a.mjs', 'train.mjs'],
    workspace: WORKSPACE,
    evaluatorFiles: [],
  });
  await insertResearch(bench.db, id, { taskHash: hash, proposer: 'llm' });
  for (let n = 1; n <= count; n += 1) await storeTrials(bench.db, trialRow(id, n, { taskHash: hash, proposer: 'llm' }));
}

/** Proposes for a trial; the model gives these answers in order. Returns the requests that it received. */
async function propose(trialId: string, answers: (Partial<LlmAnswer> | LlmError)[]): Promise<LlmRequest[]> {
  const requests: LlmRequest[] = [];
  const complete = (request: LlmRequest): Promise<LlmAnswer> => {
    const answer = answers[requests.length];
    requests.push(request);
    if (answer === undefined) throw new Error('expected no further request');
    return answer instanceof LlmError ? Promise.reject(answer) : Promise.resolve({ ...ANSWER, ...answer });
  };
  const refused = (): boolean => answers.slice(0, requests.length).some((answer) => answer instanceof LlmError);
  const deps = {
    store: bench.store,
    models: { llm: { complete, promptLimit: () => null, refusesTools: refused }, llmModel: 'm', priceOf: () => 0.5 },
    pools: { hardware: () => Promise.resolve([]), programs: () => Promise.resolve([]) },
    reach: () => undefined,
    machine: { sha256: hashOf },
  } as unknown as ActivityDeps;
  const workflowExecution = { workflowId: trialId, runId: 'run' };
  const environment = new MockActivityEnvironment({ attempt: 1, workflowExecution });
  await environment.run(createProposeActivities(deps).propose, { trialId });
  return requests;
}

const callOf = (edits: object[], hypothesis = 'h') => ({
  name: 'propose',
  arguments: JSON.stringify({ hypothesis, edits }),
});
const write = (path: string, content: string) => ({ action: 'write', path, content });
const filesOf = async (trialId: string): Promise<Record<string, string>> => {
  const { candidateId } = await bench.store.trial.loadTrial(trialId);
  return bench.store.trial.loadCandidateFiles(candidateId ?? '');
};

test('a broken call is answered with the reason, and the next one is stored exactly and applied', async () => {
  await open('calls');
  const broken = { name: 'propose', arguments: '{"hypothesis": "h", "edits": [{"action": "wr' };
  const good = callOf([
    { action: 'replace', path: 'train.mjs', search: 'const LR = 0.1;', replace: 'const LR = 1; // ü' },
  ]);
  const requests = await propose('calls/1', [{ toolCalls: [broken] }, { toolCalls: [good] }]);
  expect(requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['propose'], ['propose']]);
  const last = requests[1]?.messages.map(({ content }) => content).join('\n');
  expect(last).toContain(broken.arguments);
  expect(last).toContain('its arguments are no JSON: they end in the middle');
  expect(last).toContain('one call of the tool propose');
  expect(await filesOf('calls/1')).toMatchObject({ 'train.mjs': 'const LR = 1; // ü\n' });
  const [first, second] = [0, 1].map((turn) => bench.store.call.findCall({ trialId: 'calls/1', turn }));
  expect(await first).toMatchObject({ unused: 'unreadable-answer', outcome: { toolCalls: [broken] } });
  expect(await second).toMatchObject({ unused: null, outcome: { toolCalls: [good] } });
  const read = await readCalls(bench.db, { trialId: 'calls/1' });
  expect(readConversation(read).map(({ tools }) => tools[0]?.input)).toEqual([broken.arguments, good.arguments]);
  expect(await propose('calls/1', [])).toEqual([]);
});

test('a stored call is applied by the next attempt, which buys nothing', async () => {
  await open('stored');
  const toolCalls = [callOf([write('lib/b.mjs', 'export const b = 1;\n')])];
  const begun = { trialId: 'stored/1', turn: 0, model: 'm', request: {}, workflowRun: 'run', attempt: 1 };
  const mark = await bench.store.call.beginCall(begun);
  const outcome = { finishReason: 'tool_calls', refusal: null, toolCalls };
  const cost = { tokensIn: 1, tokensOut: 1, usd: null, latencySeconds: 1 };
  await bench.store.call.saveAnswer({ trialId: 'stored/1', turn: 0, mark: mark ?? '', answer: '', outcome, ...cost });
  expect(await propose('stored/1', [])).toEqual([]);
  expect(await filesOf('stored/1')).toHaveProperty(['lib/b.mjs'], 'export const b = 1;\n');
});

test('with auto, an endpoint that refuses tools is asked for text, which an alert says once', async () => {
  await open('auto', { edits: 'auto', count: 2 });
  const refusal = new LlmError('the model does not support tools', { kind: 'refused', status: 400, refused: 'tools' });
  const text = (lr: number): string => `HYPOTHESIS: h\n\ntrain.mjs\n\`\`\`\`\nconst LR = ${lr};\n\`\`\`\`\n`;
  for (const n of [1, 2]) {
    const requests = await propose(`auto/${n}`, [refusal, { text: text(n) }]);
    expect(requests.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 0]);
    expect(requests[1]?.messages[0]?.content).toContain('<<<<<<< SEARCH');
    expect(await filesOf(`auto/${n}`)).toMatchObject({ 'train.mjs': `const LR = ${n};\n` });
  }
  const alerts = await bench.db.select().from(schema.alerts).where(eq(schema.alerts.researchId, 'auto'));
  expect(alerts.map(({ message }) => message)).toEqual([expect.stringContaining('refuses tools for the model ')]);
});

test('with tools, text without a call is no answer, and a refusal of tools waits for a person', async () => {
  await open('only', { count: 2 });
  const text = 'HYPOTHESIS: h\n\ntrain.mjs\n````\nconst LR = 2;\n````\n';
  const requests = await propose('only/1', [{ text }, { toolCalls: [callOf([write('train.mjs', 'const LR = 3;')])] }]);
  expect(requests[1]?.messages.at(-1)?.content).toContain('expected a call of the tool propose, got text alone');
  const refusal = new LlmError('no tools here', { kind: 'refused', status: 400, refused: 'tools' });
  await expect(propose('only/2', [refusal])).rejects.toMatchObject({ type: 'EndpointDown' });
});

test('new and deleted files of a candidate are in its run, its diff, its workspace and the next prompt', async () => {
  await open('files', { count: 2 });
  const toolCalls = [callOf([write('lib/b.mjs', 'export const b = 1;'), { action: 'delete', path: 'lib/a.mjs' }])];
  await propose('files/1', [{ toolCalls }]);
  const trial = await bench.store.trial.loadTrial('files/1');
  const candidateId = trial.candidateId ?? '';
  const own = {
    files: { 'lib/b.mjs': 'export const b = 1;\n', 'train.mjs': 'const LR = 0.1;\n' },
    deleted: ['lib/a.mjs'],
  };
  expect(await bench.store.trial.loadCandidate(candidateId)).toEqual(own);

  const version = await bench.store.task.loadTaskVersion('task-files');
  const spec = await runSpecOf(
    {
      store: bench.store,
      machine: { environment: {} },
      scoring: { hmac: (text: string) => text },
      hosts: { coresOf: () => 1, envOf: () => ({}), isOwnHost: () => true },
    },
    {
      trial,
      research: { proposer: 'llm', settings: null },
      version,
      lease: { id: 'local/0', pool: 'local', index: 0, gpu: null, host: 'here', fence: 1 } as Lease,
      placement: 0,
    },
  );
  expect(spec.files.map(({ path }) => path).sort()).toEqual(['lib/b.mjs', 'train.mjs']);

  const workspace = await readWorkspace(bench.db, { candidateId, taskHash: 'task-files' });
  expect(workspace?.map(({ path }) => path)).toEqual(['lib/b.mjs', 'run.sh', 'train.mjs']);

  // The baseline of the fixture has no lib/a.mjs, since its candidate is older than that file.
  const read = await readTrial(bench.db, { trialId: 'files/1' });
  const research = await bench.store.research.findResearch('files');
  if (!read || !research) throw new Error('expected the trial and its research');
  const diff = await readDiff(bench.db, { trial: read.trial, research, against: 'parent' });
  expect(unifiedDiff(diff.files)).toContain('--- /dev/null\n+++ b/lib/b.mjs\n');

  await bench.db.update(schema.trials).set({ parentId: candidateId }).where(eq(schema.trials.id, 'files/2'));
  const edits = [{ action: 'delete', path: 'lib/b.mjs' }, write('lib/a.mjs', 'export {};')];
  const [request] = await propose('files/2', [{ toolCalls: [callOf(edits)] }]);
  const prompt = request?.messages.map(({ content }) => content).join('\n') ?? '';
  expect(prompt).toContain('lib/b.mjs');
  expect(prompt).toContain('those that match lib/*.mjs may be deleted');
  // Both changes undone: the candidate is the unmodified version again.
  const restored = await bench.store.trial.loadCandidate(
    (await bench.store.trial.loadTrial('files/2')).candidateId ?? '',
  );
  expect(restored).toEqual({ files: { 'lib/a.mjs': 'export {};\n', 'train.mjs': 'const LR = 0.1;\n' }, deleted: [] });
});
