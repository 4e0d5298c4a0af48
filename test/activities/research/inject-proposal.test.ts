import { beforeAll, describe, expect, test } from 'vitest';
import { injectProposal } from '../../../activities/research/inject-proposal.ts';
import { hashOf, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
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
  workspace: [file('train.mjs', 'old'), file('more.txt', '0123456789'), file('run.sh', 'true')],
  evaluatorFiles: [],
};

beforeAll(async () => {
  await bench.store.task.saveTaskVersion(version);
  await insertResearch(bench.db, 'together', { taskHash: version.hash });
});

const inject = (key: string, files: Record<string, string>): Promise<string | null> =>
  injectProposal(
    { store: bench.store, machine: { sha256: hashOf } },
    { researchId: 'together', key, files, hypothesis: 'h' },
  );

const wanted = (key: string) => bench.store.research.findInjectedByKey({ researchId: 'together', key });

test('a proposal whose files are too large together with those of its parent is refused with the sum', async () => {
  const ofBytes = (bytes: number): Promise<string | null> => inject(String(bytes), { 'train.mjs': 'x'.repeat(bytes) });
  expect(await ofBytes(2 ** 20 - 10)).toBeNull();
  expect(await ofBytes(2 ** 20 - 9)).toBe(
    'files: expected at most 1048576 bytes of mutable files in all, got 1048577; ' +
      'the largest is "train.mjs" with 1048567',
  );
  expect(await wanted(String(2 ** 20 - 9))).toBeNull();
});

test('a file that may not change is refused by its path, with the rule', async () => {
  expect(await inject('immutable', { 'run.sh': 'false' })).toBe(
    'files.run.sh: expected one of the mutable files train.mjs, more.txt; this file is immutable',
  );
  expect(await inject('unknown', { 'new file.txt': '' })).toBe(
    'files."new file.txt": expected one of the mutable files train.mjs, more.txt; the workspace has no such file',
  );
});

describe('a key that was used before', () => {
  test('with the same files is the same idea, which is queued once', async () => {
    expect(await inject('mine', { 'more.txt': 'mine' })).toBeNull();
    const first = await wanted('mine');
    const before = (await bench.store.research.findInjected('together')).length;
    expect(await inject('mine', { 'more.txt': 'mine' })).toBeNull();
    expect(await wanted('mine')).toEqual(first);
    expect(await bench.store.research.findInjected('together')).toHaveLength(before);
  });

  test('with other files is refused, and the first idea stays', async () => {
    expect(await inject('taken', { 'more.txt': 'first' })).toBeNull();
    const first = await wanted('taken');
    expect(await inject('taken', { 'more.txt': 'second' })).toBe(
      'key: expected a new key for other files, got "taken", whose more.txt is different',
    );
    expect(await wanted('taken')).toEqual(first);
  });

  test('leads to the trial once the idea has a number, also if the idea was requested again', async () => {
    await inject('followed', { 'more.txt': 'followed' });
    const waiting = (await bench.store.research.findWantedRuns({ researchId: 'together', limit: 100 })).find(
      ({ proposal }) => (proposal as { key: string }).key === 'followed',
    );
    await bench.store.research.numberWantedRuns([{ id: waiting?.id ?? 0, n: 7 }]);
    expect(await wanted('followed')).toMatchObject({ n: 7 });
    await bench.store.research.retryInjected({ researchId: 'together', n: 7, most: 3 });
    expect(await wanted('followed')).toMatchObject({ n: null });
  });
});
