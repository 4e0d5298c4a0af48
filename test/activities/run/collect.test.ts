import { expect, test } from 'vitest';
import { collectRun } from '../../../activities/run/collect.ts';
import type { ActivityDeps } from '../../../activities/deps.ts';
import type { Run } from '../../../db/run/run.ts';
import type { RunEnding } from '../../../db/run/save-end.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { SandboxMode } from '../../../infra/compute.ts';
import { createFakeCompute } from '../../../infra/compute/fake.ts';
import { scriptedHost } from '../monitor/support/host.ts';

/** Collects a run whose end and whose host say this of the sandbox. */
async function collected(says: { end: boolean; host: boolean }, sandbox: SandboxMode) {
  const { compute } = scriptedHost();
  const end = { ...(await compute.collect({ jobId: 'a/1', placement: 0 }, { artefacts: [] })).end };
  const fake = await createFakeCompute({ host: 'far' }).protections('none');
  const asked: SandboxMode[] = [];
  const stored = await collectRun({
    deps: {
      store: {
        run: { saveRunEnd: () => Promise.resolve(true) },
      },
    } as unknown as ActivityDeps,
    compute: {
      ...compute,
      collect: async () => ({
        end: { ...end, sandboxed: says.end },
        logTail: '',
        artefacts: [],
        missing: [],
        tooLarge: [],
        changed: [],
      }),
      protections: async (mode) => {
        asked.push(mode);
        return { ...fake, sandboxed: mode !== 'none' && says.host };
      },
    },
    task: { run: { artefacts: [], sandbox }, metric: { from: 'evaluator' } } as unknown as Task,
    key: { jobId: 'a/1', placement: 0 },
    run: { follower: 1 } as Run,
  });
  return { sandboxed: stored.sandboxed, asked };
}

test('a run was in a sandbox if its end and its host say so', async () => {
  expect(await collected({ end: true, host: true }, 'preferred')).toEqual({ sandboxed: true, asked: ['preferred'] });
});

test.each([
  ['whose host gives none, whatever its end says', { end: true, host: false }, 'preferred'],
  ['that was asked to go without, whatever its end says', { end: true, host: true }, 'none'],
  ['whose end says so, whatever its host could give', { end: false, host: true }, 'preferred'],
] as const)('a run %s was in no sandbox', async (_, says, sandbox) => {
  expect((await collected(says, sandbox)).sandboxed).toBe(false);
});

test.each([
  ['stdout', 'loss: 1\n'],
  ['evaluator', undefined],
] as const)('the end of stdout is kept as a metric from %s needs it', async (from, kept) => {
  const { compute } = scriptedHost();
  const key = { jobId: 'a/1', placement: 0 };
  const { end } = await compute.collect(key, { artefacts: [] });
  const saved: RunEnding[] = [];
  await collectRun({
    deps: {
      store: { run: { saveRunEnd: (ending: RunEnding) => Promise.resolve(saved.push(ending) > 0) } },
    } as unknown as ActivityDeps,
    compute: {
      ...compute,
      collect: async (_, { stdout }) => ({
        end,
        logTail: 'bar loss: 1\n',
        artefacts: [],
        missing: [],
        tooLarge: [],
        changed: [],
        ...(stdout ? { stdoutTail: 'loss: 1\n' } : {}),
      }),
      protections: () => createFakeCompute({ host: 'far' }).protections('none'),
    },
    task: { run: { artefacts: [], sandbox: 'none' }, metric: { from } } as unknown as Task,
    key,
    run: { follower: 1 } as Run,
  });
  expect(saved.map(({ logTail, stdoutTail }) => [logTail, stdoutTail])).toEqual([['bar loss: 1\n', kept]]);
});
