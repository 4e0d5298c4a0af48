import { expect, test } from 'vitest';
import { requireOwnedFiles, requireSandbox, requireSize } from '../../../activities/task/require-runnable.ts';
import { sandboxOf } from '../../../activities/task/sandbox-of.ts';
import { Task } from '../../../domain/task/task.ts';
import type { Protections, SandboxMode } from '../../../infra/compute.ts';
import { createFakeCompute } from '../../../infra/compute/fake.ts';
import { TASK } from '../../cli/support/lineage.ts';

const POOL = { ...TASK, run: { ...TASK.run, resources: { ...TASK.run.resources, pool: 'gpus' } } };

/** Requires a sandbox on a pool whose machines have these protections; null: none of them answers. */
async function ask(says: Partial<Protections> | null, proposer = 'llm', sandbox?: SandboxMode) {
  const asked: [SandboxMode, string][] = [];
  const known = await createFakeCompute({ host: 'far' }).protections('none');
  const deps: Parameters<typeof requireSandbox>[0] = {
    pools: {
      protections: (mode, pool) => {
        asked.push([mode, pool]);
        return Promise.resolve(says && { ...known, exposure: 'It can all.', notes: ['No namespaces.'], ...says });
      },
    },
  };
  const task = sandbox ? { ...POOL, run: { ...POOL.run, sandbox } } : POOL;
  const store = { trial: { hasForeignEdits: () => Promise.resolve(false) } };
  await requireSandbox(deps, task, await sandboxOf(store, task, { proposer, researchId: 'a', candidateId: null }));
  return asked;
}

test.each([
  ['a model that proposes', 'llm', undefined],
  ['a task that says so', 'random', 'required'],
] as const)('a sandbox required by %s is refused where none can be had, with what to do', async (_, who, sandbox) => {
  // A user of its own alone is no protection: it reaches our servers.
  await expect(ask({ uid: true }, who, sandbox)).rejects.toMatchObject({
    type: 'NoSandbox',
    nonRetryable: true,
    message:
      'run.sandbox: required, but no sandbox is available here. It can all. No namespaces. ' +
      'Or set run.sandbox: preferred; such runs then start, and their trials are untrusted',
  });
});

test.each([
  ['a closed network', { network: true }],
  ['no answer yet', null],
])('a research whose pool has %s may begin', async (_, says) => {
  expect(await ask(says)).toEqual([['required', 'gpus']]);
});

test('no machine is asked for a sandbox that is not required', async () => {
  expect([await ask({}, 'random'), await ask({}, 'llm', 'preferred')]).toEqual([[], []]);
});

test('a task that may take more memory than any host of its pool gives a run is refused', async () => {
  const { memoryMb } = POOL.run.resources;
  const given = (most: number | null) =>
    requireSize(
      { pools: { memoryIn: (pool) => (pool === 'gpus' ? most : 1), diskSizeMb: () => Promise.resolve(null) } },
      POOL,
    );
  await expect(given(memoryMb - 1)).rejects.toThrow(
    `run.resources.memoryMb: expected at most ${memoryMb - 1} (the memory of a run there), got ${memoryMb}; lower it`,
  );
  for (const most of [memoryMb, null]) await given(most);
});

test('a specialist that owns no mutable file is refused, also if a value of the start names it', () => {
  const owning = (owns: string[]) => {
    const proposer = { name: 'llm', specialist: { name: 'a', owns } };
    return () => requireOwnedFiles(Task.parse({ ...TASK, search: { proposer } }), ['train.mjs']);
  };
  expect(owning(['*.mjs'])).not.toThrow();
  expect(owning(['train.py'])).toThrow(
    /^search\.proposer\.specialist\.owns: expected globs that match a mutable file, such as train\.mjs, got .*; corr/,
  );
});
