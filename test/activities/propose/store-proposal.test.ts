import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import type { ProposeContext } from '../../../activities/propose/propose-context.ts';
import { storeProposal } from '../../../activities/propose/store-proposal.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import { memories, type trials } from '../../../db/schema.ts';
import { candidateContent } from '../../../domain/trial/candidate.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const FILES = { 'train.mjs': 'const LR = 0.3;\n' };
const COPIED = hashOf(candidateContent(FILES, 'i'));

type Row = Partial<typeof trials.$inferInsert>;

/** Stores a research with these earlier runs of one candidate, and `copies` further trials under way. */
async function researchWith(id: string, runs: readonly Row[], copies: number): Promise<void> {
  await insertResearch(bench.db, id);
  await bench.store.trial.saveCandidate({ id: COPIED, immutableHash: 'i', files: FILES });
  const rows = runs.map((run, index) => trialRow(id, index + 1, { candidateId: COPIED, ...run }));
  const open = Array.from({ length: copies }, (_, index) => trialRow(id, runs.length + index + 1));
  await storeTrials(bench.db, [...rows, ...open]);
}

/** Proposes the candidate in a trial. */
async function propose(id: string, n: number, rerun?: number) {
  const search = rerun === undefined ? TASK.search : { ...TASK.search, rerun };
  const context = {
    deps: { store: bench.store, machine: { sha256: hashOf } } as unknown as ActivityDeps,
    trial: await bench.store.trial.loadTrial(`${id}/${n}`),
    version: { task: { ...TASK, search }, immutableHash: 'i' } as TaskVersion,
    files: FILES,
    signal: new AbortController().signal,
  } satisfies ProposeContext;
  return storeProposal(context, { files: FILES, hypothesis: 'again', expectedDelta: null, edits: [] });
}

const DONE = { status: 'completed', value: 1.5 } as const;

describe('a copy of a known candidate', () => {
  test.each<[string, Row[]]>([
    ['scored', [DONE, DONE]],
    ['under way', [{}, {}]],
    ['failed', [{ status: 'crashed', failure: 'exit-code' }, DONE]],
    ['of the baseline', [{ kind: 'baseline', ...DONE }, { kind: 'baseline' }]],
  ])('runs beside two runs that are %s, and not beside three', async (name, runs) => {
    const id = `counts ${name}`;
    await researchWith(id, runs, 2);
    expect(await propose(id, 3, 3)).toMatchObject({ status: null, candidateId: COPIED, runsBefore: 2 });
    expect(await propose(id, 4, 3)).toMatchObject({ status: 'cached', runsBefore: 3, failure: null, value: null });
  });

  test.each<[string, Row]>([
    ['the platform lost', { status: 'lost', failure: 'machine-lost' }],
    ['a person stopped', { status: 'aborted', failure: 'stopped-by-operator' }],
    ['did not run', { status: 'cached' }],
  ])('does not count a trial that %s', async (name, run) => {
    await researchWith(`not ${name}`, [run], 1);
    expect(await propose(`not ${name}`, 2)).toMatchObject({ status: null, runsBefore: 0 });
  });

  test('does not run if a run of it was stopped early, since the next one would be, too', async () => {
    await researchWith('stopped', [DONE, { status: 'aborted', failure: 'cannot-win' }], 1);
    expect(await propose('stopped', 3, 9)).toMatchObject({
      status: 'cached',
      value: null,
      verdict: 'none',
      evaluatorNotes: 'the same candidate as trial 2, which was stopped early, since it could not win; it has 2 runs',
    });
    const [last] = await bench.store.trial.findHistory({ researchId: 'stopped', limit: 1 });
    expect(last?.reason).toMatch(/^cached: the same candidate as trial 2, which was stopped early/);
  });

  test('runs once in all if the research has no setting, as 0.2 began it', async () => {
    await researchWith('older', [DONE], 1);
    expect(await propose('older', 2)).toMatchObject({
      status: 'cached',
      evaluatorNotes: 'the same candidate as trial 1, which gave 1.5',
    });
  });

  test('runs as often as the setting says, however many are proposed at once', async () => {
    await researchWith('at once', [], 8);
    const stored = await Promise.all(Array.from({ length: 8 }, (_, index) => propose('at once', index + 1, 4)));
    expect(stored.filter(({ status }) => status === null).map(({ runsBefore }) => runsBefore)).toEqual(
      expect.arrayContaining([0, 1, 2, 3]),
    );
    expect(stored.filter(({ status }) => status === 'cached')).toHaveLength(4);
  });

  test('stays as it was decided if its proposal is stored again, and is refunded once', async () => {
    await researchWith('repeated', [DONE], 2);
    const again = await propose('repeated', 2, 2);
    const known = await propose('repeated', 3, 2);
    expect([again.status, known.status]).toEqual([null, 'cached']);
    expect(await propose('repeated', 2, 1)).toEqual(again);
    expect(await propose('repeated', 3, 9)).toEqual(known);
    expect(await bench.store.research.findResearch('repeated')).toMatchObject({ refunded: { search: 1 } });
  });
});

describe('the memory in an answer', () => {
  const store = async (id: string, n: number, memory?: string, files = FILES) => {
    const context = {
      deps: { store: bench.store, machine: { sha256: hashOf } } as unknown as ActivityDeps,
      trial: await bench.store.trial.loadTrial(`${id}/${n}`),
      version: { task: TASK, immutableHash: 'i' } as TaskVersion,
      files: FILES,
      signal: new AbortController().signal,
    } satisfies ProposeContext;
    const proposed = { files, hypothesis: 'x', expectedDelta: null, edits: [] };
    return storeProposal(context, { ...proposed, ...(memory === undefined ? {} : { memory }) });
  };
  const other = (x: number) => ({ 'train.mjs': `const LR = ${x};\n` });
  const versions = async (id: string) =>
    (await bench.db.select().from(memories).where(eq(memories.researchId, id)).orderBy(memories.id)).map(
      ({ trialId, text }) => [trialId, text],
    );

  test('is stored with the proposal, once, and stays if an answer has none', async () => {
    await researchWith('remembers', [], 3);
    await store('remembers', 2, 'first');
    expect(await bench.store.trial.findMemory('remembers')).toEqual({ text: 'first', n: 2 });
    // Another attempt of the same trial.
    await store('remembers', 2, 'first, again', other(7));
    await store('remembers', 3, undefined, other(8));
    expect(await versions('remembers')).toEqual([['remembers/2', 'first']]);
    await store('remembers', 1, 'second\0', other(9));
    expect(await bench.store.trial.findMemory('remembers')).toEqual({ text: 'second\uFFFD', n: 1 });
  });

  test('is stored by a copy of a known candidate, which does not run', async () => {
    await researchWith('copies', [DONE], 1);
    expect(await store('copies', 2, 'learnt')).toMatchObject({ status: 'cached' });
    expect(await versions('copies')).toEqual([['copies/2', 'learnt']]);
  });

  test('is lost with its proposal if the transaction fails, so that a later attempt stores both', async () => {
    await researchWith('fails', [], 1);
    await bench.db.execute(sql`alter table memories add constraint no_fails check (text <> 'refused')`);
    await expect(store('fails', 1, 'refused')).rejects.toThrow();
    expect(await bench.store.trial.loadTrial('fails/1')).toMatchObject({ candidateId: null });
    await bench.db.execute(sql`alter table memories drop constraint no_fails`);
    expect(await store('fails', 1, 'refused')).toMatchObject({ candidateId: COPIED });
    expect(await versions('fails')).toEqual([['fails/1', 'refused']]);
  });
});
