import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { runLimits } from '../../../domain/job/run-limits.ts';
import { jobLimits, runSpecOf, mutableFiles } from '../../../activities/run/run-spec.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { Lease } from '../../../db/slot/slots.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import { type JobSpec, DEFAULT_RESTART } from '../../../domain/job.ts';
import { Task } from '../../../domain/task/task.ts';

const taskOf = (run: object) =>
  Task.parse({
    name: 'toy',
    description: 'a toy',
    mutable: ['a.js'],
    run: { command: 'node a.js', ...run },
    metric: { name: 'loss', direction: 'minimize' },
    evaluator: { type: 'none' },
  });

test.each([
  ['cpu', 3, 36, 4.5],
  ['reference', 3, 36, 9],
  ['reference', 60, 360, 180],
  ['wall', 3, 36, null],
])('a budget of kind %s and %d s is cut at %d s of wall clock and %s s of CPU', (kind, seconds, wall, cpu) => {
  expect(runLimits(taskOf({ budget: { seconds, kind } }))).toMatchObject({ wallSeconds: wall, cpuSeconds: cpu });
});

test('a server has the limits of its task but those of time, and a command is charged no CPU seconds', () => {
  const task = taskOf({ budget: { seconds: 3, kind: 'cpu' }, timeoutSeconds: 12 });
  const { wallSeconds, cpuSeconds, ...others } = runLimits(task);
  expect([wallSeconds, cpuSeconds]).toEqual([12, 4.5]);
  const server: JobSpec = { shape: 'without-an-end', command: 'serve', ready: 'up', restart: DEFAULT_RESTART };
  expect(jobLimits(task, server)).toEqual({ ...others, wallSeconds: null, cpuSeconds: null });
  expect(jobLimits(task, { shape: 'to-an-end' })).toEqual({ ...runLimits(task), cpuSeconds: null });
});

test('a job of a shape that this version does not know has no limits of another one', () => {
  const task = taskOf({ budget: { seconds: 3 } });
  const newer = { shape: 'by-the-hour', command: 'true' } as unknown as JobSpec;
  expect(() => jobLimits(task, newer)).toThrow(/job\.shape: this version does not know by-the-hour/);
});

test('a time limit of the task is the one of wall clock', () => {
  const task = taskOf({ budget: { seconds: 3, kind: 'reference' }, timeoutSeconds: 12 });
  expect(runLimits(task)).toMatchObject({ wallSeconds: 12, cpuSeconds: 9 });
});

test.each([
  ['llm', [], 'required'],
  ['random', ['other'], 'preferred'],
  ['random', ['mine'], 'required'],
])('a run under proposer %s, where %j are written code, has its sandbox %s', async (proposer, written, sandbox) => {
  const store = {
    task: { loadOriginals: () => Promise.resolve([]) },
    trial: {
      loadCandidate: () => Promise.resolve({ files: { 'a.js': 'x' }, deleted: [] }),
      hasForeignEdits: ({ researchId, candidateId }: { researchId: string; candidateId: string }) =>
        Promise.resolve(researchId === 'toy' && written.includes(candidateId)),
    },
  } as unknown as ActivityDeps['store'];
  const spec = await runSpecOf(
    {
      store,
      machine: { environment: {} },
      scoring: { hmac: (text) => text },
      hosts: { coresOf: () => 1, envOf: () => ({}), isOwnHost: () => true },
    },
    {
      trial: { id: 'toy/1', researchId: 'toy', candidateId: 'mine', seed: 1 } as Trial,
      research: { proposer, settings: null },
      version: { task: taskOf({ budget: { seconds: 3 } }), stageHash: 's' } as TaskVersion,
      lease: { id: 'local/0', pool: 'local', index: 0, gpu: null, host: 'here', fence: 1 } as Lease,
      placement: 0,
    },
  );
  expect(spec).toMatchObject({ jobId: 'toy/1', sandbox });
});

test.each([
  ['of a GPU', 'GPU-a', false, 'GPU-a'],
  ['of cores on a host of the fleet', null, false, ''],
  ["of this machine, whose GPUs are nobody's to give", null, true, undefined],
])('a run on a slot %s sees the GPUs of its slot and no others', async (_, gpu, isOwn, seen) => {
  const store = {
    task: { loadOriginals: () => Promise.resolve([]) },
    trial: {
      loadCandidate: () => Promise.resolve({ files: { 'a.js': 'x' }, deleted: [] }),
      hasForeignEdits: () => Promise.resolve(false),
    },
  } as unknown as ActivityDeps['store'];
  const { env } = await runSpecOf(
    {
      store,
      machine: { environment: {} },
      scoring: { hmac: (text) => text },
      hosts: { coresOf: () => 1, envOf: () => ({}), isOwnHost: () => isOwn },
    },
    {
      trial: { id: 'toy/1', researchId: 'toy', candidateId: 'mine', seed: 1 } as Trial,
      research: { proposer: 'random', settings: null },
      version: { task: taskOf({ budget: { seconds: 3 } }), stageHash: 's' } as TaskVersion,
      lease: { id: 'lab/0', pool: 'lab', index: 0, gpu, host: 'box', fence: 1 } as Lease,
      placement: 0,
    },
  );
  expect(env.CUDA_VISIBLE_DEVICES).toBe(seen);
});

test('a run gets no variable of the platform, though a task of an older version asks for it', async () => {
  const store = {
    task: { loadOriginals: () => Promise.resolve([]) },
    trial: {
      loadCandidate: () => Promise.resolve({ files: { 'a.js': 'x' }, deleted: [] }),
      hasForeignEdits: () => Promise.resolve(false),
    },
  } as unknown as ActivityDeps['store'];
  const environment = { SSH_AUTH_SOCK: '/agent', WANDB_MODE: 'offline' };
  const task = taskOf({ budget: { seconds: 3 } });
  const passEnv = ['SSH_AUTH_SOCK', 'WANDB_MODE'];
  const { env } = await runSpecOf(
    {
      store,
      machine: { environment },
      scoring: { hmac: (text) => text },
      hosts: { coresOf: () => 1, envOf: () => ({}), isOwnHost: () => true },
    },
    {
      trial: { id: 'toy/1', researchId: 'toy', candidateId: 'mine', seed: 1 } as Trial,
      research: { proposer: 'random', settings: null },
      version: { task: { ...task, run: { ...task.run, passEnv } }, stageHash: 's' } as TaskVersion,
      lease: { id: 'local/0', pool: 'local', index: 0, gpu: null, host: 'here', fence: 1 } as Lease,
      placement: 0,
    },
  );
  expect(env).toMatchObject({ WANDB_MODE: 'offline' });
  expect(env).not.toHaveProperty('SSH_AUTH_SOCK');
});

describe('the mutable files of a run', () => {
  const original = (path: string, text: string, executable = false) => ({
    path,
    content: Buffer.from(text),
    executable,
  });
  const laid = (originals: ReturnType<typeof original>[], candidate: Record<string, string>) =>
    mutableFiles(originals, candidate).map(({ path, content, executable }) => [
      path,
      Buffer.from(content).toString(),
      executable,
    ]);

  test("a run has the candidate's text of each mutable file, with the mode of the original", () => {
    const originals = [original('deep/tool.sh', 'old', true), original('main.py', 'old')];
    expect(laid(originals, { 'deep/tool.sh': 'new', 'main.py': 'other' })).toEqual([
      ['deep/tool.sh', 'new', true],
      ['main.py', 'other', undefined],
    ]);
  });

  test('a command of a person has the originals', () => {
    expect(laid([original('tool.sh', 'old', true)], {})).toEqual([['tool.sh', 'old', true]]);
  });

  test('a candidate of an older version has originals of newly mutable files, and keeps its own files', () => {
    expect(laid([original('new.py', 'of the task')], { 'old.py': 'of the candidate' })).toEqual([
      ['new.py', 'of the task', undefined],
      ['old.py', 'of the candidate', undefined],
    ]);
  });
});
