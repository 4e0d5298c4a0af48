import { beforeAll, describe, expect, test } from 'vitest';
import { eq } from 'drizzle-orm';
import { researches } from '../../../db/schema.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { Task } from '../../../domain/task/task.ts';
import { injectProposal } from '../../../activities/research/inject-proposal.ts';
import { CONFIG, hashOf, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { readAllEvents } from '../../db/event/read-all-events.ts';
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

test('an injected proposal has one event with its sender, however often it is sent', async () => {
  const idea = { researchId: 'told', key: 'k', files: { 'train.mjs': 'mine' }, hypothesis: 'h'.repeat(500) };
  await insertResearch(bench.db, 'told', { taskHash: version.hash });
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(
      await injectProposal({ store: bench.store, machine: { sha256: hashOf } }, { ...idea, sender: 'page' }),
    ).toBeNull();
  expect(await readAllEvents(bench.db, 'told')).toMatchObject([
    { kind: 'idea-injected', n: null, data: { key: 'k', hypothesis: 'h'.repeat(300), sender: 'page' } },
  ]);
});

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

describe('in a task with regions, new files and deleted files, a proposal', () => {
  const REGION = 'import a\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n';
  const edits = { regions: true, create: ['lib/*.txt'], remove: ['more.txt'] };
  const open = { ...version, hash: 'open', task: Task.parse({ ...TASK, edits }) };
  const start = async (id: string) => {
    const workspace = [file('train.mjs', REGION), file('more.txt', 'm'), file('lib/fixed.txt', 'f')];
    await bench.store.task.saveTaskVersion({ ...open, workspace });
    const baseline = { id: `baseline-${id}`, immutableHash: 'i', files: { 'train.mjs': REGION, 'more.txt': 'm' } };
    await bench.store.trial.saveCandidate(baseline);
    await insertResearch(bench.db, id, { taskHash: open.hash });
    await bench.db
      .update(researches)
      .set({ baselineCandidate: baseline.id, gate: openGate(CONFIG, baseline.id).state })
      .where(eq(researches.id, id));
  };
  const send = (researchId: string, files: Record<string, string>, removed?: string[]) =>
    injectProposal(
      { store: bench.store, machine: { sha256: hashOf } },
      { researchId, key: 'k', files, hypothesis: 'h', ...(removed === undefined ? {} : { delete: removed }) },
    );

  test('is refused for a line outside a region, an immutable file, or a file that may not be deleted', async () => {
    await start('refused');
    expect(await send('refused', { 'train.mjs': REGION.replace('import a', 'import b') })).toContain(
      'files.train.mjs: in train.mjs only these lines may change: line 3 (region 1); line 1 must stay "import a"',
    );
    expect(await send('refused', { 'lib/fixed.txt': 'x' })).toContain(
      'files.lib/fixed.txt: the workspace has this file',
    );
    expect(await send('refused', { 'lib/../x.txt': 'x' })).toContain('it leaves its folder with ..');
    expect(await send('refused', { 'more.txt': 'n' }, ['train.mjs'])).toContain(
      'it cannot be deleted: no glob of edits.remove matches it',
    );
    expect(await send('refused', { 'more.txt': 'n' }, ['gone.txt'])).toContain(
      'delete: expected files of the candidate',
    );
  });

  test('adds and deletes files', async () => {
    await start('taken');
    expect(
      await send('taken', { 'train.mjs': REGION.replace('x = 1', 'x = 2'), 'lib/new.txt': 'n' }, ['more.txt']),
    ).toBeNull();
    const injected = await bench.store.research.findInjectedByKey({ researchId: 'taken', key: 'k' });
    const { files, deleted } = await bench.store.trial.loadCandidate(injected?.candidateId ?? '');
    expect([Object.keys(files).sort(), deleted]).toEqual([['lib/new.txt', 'train.mjs'], ['more.txt']]);
  });
});
