import { expect, test } from 'vitest';
import { injectProposal } from '../../../activities/research/inject-proposal.ts';
import { hashOf, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

test('a proposal whose files are too large together with those of its parent is refused with the sum', async () => {
  const file = (path: string, text: string) => ({ path, content: Buffer.from(text), executable: false });
  const version = {
    hash: 'two-files',
    immutableHash: 'i',
    evaluatorHash: 'e',
    metricKey: 'm',
    stageHash: 's',
    task: TASK,
    yaml: '',
    prompt: null,
    mutablePaths: ['train.mjs', 'more.txt'],
    workspace: [file('train.mjs', 'old'), file('more.txt', '0123456789')],
    evaluatorFiles: [],
  };
  await bench.store.task.saveTaskVersion(version);
  await insertResearch(bench.db, 'together', { taskHash: version.hash });
  const deps = { store: bench.store, machine: { sha256: hashOf } };
  const inject = (bytes: number): Promise<string | null> =>
    injectProposal(deps, {
      researchId: 'together',
      key: String(bytes),
      files: { 'train.mjs': 'x'.repeat(bytes) },
      hypothesis: 'h',
    });
  expect(await inject(2 ** 20 - 10)).toBeNull();
  expect(await inject(2 ** 20 - 9)).toBe(
    'files: expected at most 1048576 bytes of mutable files in all, got 1048577; ' +
      'the largest is "train.mjs" with 1048567',
  );
});
