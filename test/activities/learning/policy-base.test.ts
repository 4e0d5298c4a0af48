import { expect, test } from 'vitest';
import { policyStartOf, resolveBase, storeBase } from '../../../activities/learning/policy-base.ts';
import { policies } from '../../../db/schema.ts';
import type { Task } from '../../../domain/task/task.ts';
import { hashOf, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { search } from './support/learning.ts';

const bench = useDatabase();
const LORA = { kind: 'lora', rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'], dropout: 0 };
const NO_FILES: readonly string[] = [];

/** A worker that can learn, with these checkpoints on its disk; null: on all of them. */
const worker = ({ files = null, canLearn = true }: { files?: readonly string[] | null; canLearn?: boolean } = {}) =>
  ({
    store: bench.store,
    models: { canLearn: () => canLearn },
    policy: {
      findBaseProblem: async (base: string) => (base === 'tiny' ? null : { expected: 'a model', why: 'it is none' }),
      checkpoints: {
        folder: (key: string) => `/c/${key}`,
        bytes: async (folder: string) => (files === null || files.includes(folder) ? 1 : 0),
      },
    },
  }) as unknown as Parameters<typeof resolveBase>[0];

const policyWith = (base: string) => ({ name: 'policy', base });

/** A search that samples a policy with a base, and learns by `update`. */
const sampling = (base: string, update: object | string = 'none') => ({
  search: search(update, policyWith(base)) as Task['search'],
  proposer: 'policy',
});

/** A research whose policy began with `base` and has made the versions 1 to `count`. */
async function learnt(id: string, count: number, base = 'tiny'): Promise<void> {
  const settings = { search: search('grpo', policyWith(base)), abort: TASK.abort, keep: TASK.keep } as never;
  await insertResearch(bench.db, id, { proposer: 'policy', settings });
  await bench.db.insert(policies).values({ researchId: id, inForce: count });
  for (let k = 1; k <= count; k += 1)
    await bench.db.execute(`insert into updates (research_id, k, state, batch, step_key, checkpoint)
      values ('${id}', ${k}, 'done', '[]', '${hashOf(`step ${id} ${k}`)}', '${hashOf(`${id}@${k}`)}')`);
}

/** The start of a new research whose policy begins with `base`. */
async function startOf(researchId: string, base: string) {
  await insertResearch(bench.db, researchId, { proposer: 'policy' });
  await storeBase(worker(), { researchId, ...sampling(base) });
  return policyStartOf(worker(), { researchId, base });
}

test('a policy begins with the checkpoint of a version, on the model from which that was learnt', async () => {
  await learnt('first', 2);
  const checkpoint = { path: `/c/${hashOf('step first 2')}`, sha256: hashOf('first@2') };
  expect(await startOf('second', 'first@2')).toEqual({ model: 'tiny', checkpoint });
  // A start that is repeated finds the version, whatever became of the research that learnt it.
  expect(await resolveBase(worker(), { researchId: 'second', ...sampling('first@2') })).toBeNull();
});

test('a policy that descends from another has that one among its ancestors', async () => {
  await learnt('root', 1);
  await startOf('child', 'root@1');
  await learnt('child-learnt', 0);
  await learnt('grown', 3, 'root@1');
  await storeBase(worker(), { researchId: 'grown', ...sampling('root@1') });
  const root = { research: 'root', version: 1, checkpoint: hashOf('root@1') };
  expect(await resolveBase(worker(), { researchId: 'grandchild', ...sampling('grown@3') })).toEqual({
    researchId: 'grandchild',
    base: 'grown@3',
    model: 'tiny',
    checkpoint: hashOf('grown@3'),
    stepKey: hashOf('step grown 3'),
    adapter: LORA,
    descent: [root, { research: 'grown', version: 3, checkpoint: hashOf('grown@3') }],
  });
  // Version 0 of a research has the weights with which that research began.
  expect(await startOf('of-zero', 'grown@0')).toEqual(await startOf('of-root', 'root@1'));
  expect(await startOf('of-model', 'root@0')).toEqual({ model: 'tiny', checkpoint: null });
});

test('a base is split at its last @, and an id may have slashes', async () => {
  await learnt('eval/lr', 1);
  expect(await startOf('slashed', 'eval/lr@1')).toMatchObject({ model: 'tiny' });
  await expect(startOf('twice', 'a@1@2')).rejects.toThrow('got "a@1@2"');
});

test('a research that 0.2 began with the name of a model in that form goes on with it', async () => {
  const policy = worker({ canLearn: false });
  policy.policy.findBaseProblem = async () => null;
  const research = { researchId: 'of-0.2', ...sampling('model@20240620') };
  await insertResearch(bench.db, 'of-0.2', { proposer: 'policy' });
  await storeBase(policy, research, policyWith('model@20240620'));
  const { researchId } = research;
  expect(await bench.store.learning.findPolicyBase({ researchId, base: 'model@20240620' })).toBeUndefined();
  await expect(storeBase(policy, research, policyWith('tiny'))).rejects.toThrow('the server of PERPETUA_POLICY_URL');
  await expect(storeBase(policy, research)).rejects.toThrow('the server of PERPETUA_POLICY_URL');
});

test('a version without weights on this machine is refused by name', async () => {
  await learnt('source', 2);
  await insertResearch(bench.db, 'random', { proposer: 'random' });
  await bench.db.execute(`update updates set removed_at = now() where research_id = 'source' and k = 1`);
  const refusal = (base: string, deps = worker()) =>
    resolveBase(deps, { researchId: 'new', ...sampling(base) }).then(String, ({ message }: Error) => message);
  expect(await refusal('nobody@1')).toBe(
    'search.proposer.base: expected ID@VERSION of another research; got "nobody@1": ' +
      'there is no such research; see: npx perpetua list',
  );
  expect(await refusal('random@1')).toContain('expected a research with a policy; got "random@1"');
  expect(await refusal('source@7')).toContain('there is no version 7; see: npx perpetua policy list source');
  expect(await refusal('source@1')).toContain('those of version 1 were removed to make room (search.update.keep)');
  expect(await refusal('source@2', worker({ files: NO_FILES }))).toContain(
    'expected a version whose checkpoint is on this machine; got "source@2": /c/',
  );
  expect(await refusal('source@2', worker({ canLearn: false }))).toContain('the server of PERPETUA_POLICY_URL');
  expect(await refusal('source@2')).toBe('[object Object]');
});

test('a model that cannot be loaded is refused with the path of its key', async () => {
  const start = (base: string) => resolveBase(worker(), { researchId: 'of-model', ...sampling(base) });
  expect(await start('tiny')).toBeNull();
  await expect(start('/empty')).rejects.toThrow('search.proposer.base: expected a model; got "/empty": it is none');
});

test('weights of another form than those that are to learn are refused; without learning any form fits', async () => {
  await learnt('formed', 1);
  const resolved = (update: object | string) =>
    resolveBase(worker(), { researchId: 'learner', ...sampling('formed@1', update) });
  await expect(resolved({ name: 'grpo', adapter: { kind: 'full' } })).rejects.toThrow(
    'search.update.adapter: expected { kind: lora, rank: 16, alpha: 32, targets: [q_proj, v_proj] }, the form of the ' +
      'weights of formed@1 (search.proposer.base); got { kind: full }',
  );
  const targets = ['v_proj', 'q_proj'];
  for (const update of ['none', { name: 'grpo', adapter: { kind: 'lora', targets } }])
    expect(await resolved(update)).toMatchObject({ base: 'formed@1', adapter: LORA });
});
