import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';
import { storeIfNew, storeProposal } from '../../../../activities/propose/store-proposal.ts';
import { packageRoot, syntaxFilesIn } from '../../../../config/paths.ts';
import * as schema from '../../../../db/schema.ts';
import type { TaskVersion } from '../../../../db/task/task-version.ts';
import { mutableOnly } from '../../../../domain/edit/scope/edit-scope.ts';
import { settingsOf } from '../../../../domain/task/overrides.ts';
import { candidateContent } from '../../../../domain/trial/candidate.ts';
import { createSyntax } from '../../../../infra/syntax/syntax.ts';
import { BASELINE, hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { outcomeOf } from '../../outcome/support/outcome-of.ts';

const bench = useDatabase();
const syntax = createSyntax(syntaxFilesIn(packageRoot()));
const { trials } = schema;

const filesOf = (text: string) => ({ 'train.mjs': text });
const idOf = (text: string): string => hashOf(candidateContent(filesOf(text), 'i'));
const FIRST = 'const LR = 0.3; // the rate\n';
const SECOND = '/* the rate */\nconst LR = 0.3\n';
const CORRECTED = 'const LR = 0.3;\n';
const OTHER = 'const LR = 0.4;\n';

type Search = typeof TASK.search;

/** Begins a research with trials under way. */
async function begin(id: string, count: number, search: Partial<Search> = {}): Promise<Search> {
  const merged = { ...TASK.search, novelty: 'syntax' as const, ...search };
  await insertResearch(bench.db, id, { settings: settingsOf({ ...TASK, search: merged }) });
  const rows = Array.from({ length: count }, (_, index) => trialRow(id, index + 1, { parentId: BASELINE }));
  await storeTrials(bench.db, rows);
  return merged;
}

async function contextOf(id: string, n: number, search: Search): Promise<ProposeContext> {
  return {
    deps: { store: bench.store, syntax, machine: { sha256: hashOf } } as unknown as ActivityDeps,
    trial: await bench.store.trial.loadTrial(`${id}/${n}`),
    version: { task: { ...TASK, search }, immutableHash: 'i', mutablePaths: ['train.mjs'] } as unknown as TaskVersion,
    scope: mutableOnly(['train.mjs']),
    files: filesOf(FIRST),
    signal: new AbortController().signal,
  };
}

const proposedAs = (text: string) => ({
  files: filesOf(text),
  hypothesis: `try ${text}`,
  expectedDelta: null,
  edits: [{ text }],
});
const propose = async (id: string, n: number, { search, text }: { search: Search; text: string }) =>
  storeProposal(await contextOf(id, n, search), proposedAs(text));
const score = (id: string, n: number, value: number) => settle(bench.store, outcomeOf(id, n, { value }));

describe('a program that differs from a known one in comments and formatting', () => {
  test('ends as a copy of it, and keeps its own text beside', async () => {
    const search = await begin('copy', 2);
    await propose('copy', 1, { search, text: FIRST });
    await score('copy', 1, 1.5);
    expect(await propose('copy', 2, { search, text: SECOND })).toMatchObject({
      status: 'cached',
      candidateId: idOf(FIRST),
      proposedId: idOf(SECOND),
      runsBefore: 1,
      edits: [{ text: SECOND }],
      evaluatorNotes: 'the same program as trial 1, which gave 1.5',
    });
    expect(await bench.store.trial.loadCandidateFiles(idOf(SECOND))).toEqual(filesOf(SECOND));
    expect(await bench.store.research.findResearch('copy')).toMatchObject({ refunded: { search: 1 } });
  });

  test('is another run of it if the search allows one, and then stops', async () => {
    const search = await begin('again', 3, { rerun: 2 });
    await propose('again', 1, { search, text: FIRST });
    const second = await propose('again', 2, { search, text: SECOND });
    expect(second).toMatchObject({ status: null, candidateId: idOf(FIRST), runsBefore: 1 });
    expect(await propose('again', 3, { search, text: `${SECOND}\n` })).toMatchObject({ status: 'cached' });
  });

  test('does not run beside it, however many are proposed at once', async () => {
    const search = await begin('at once', 4);
    const texts = [FIRST, SECOND, `${FIRST}\n`, `// a\n${FIRST}`];
    const stored = await Promise.all(texts.map((text, index) => propose('at once', index + 1, { search, text })));
    expect(stored.filter(({ status }) => status === null)).toHaveLength(1);
    expect(new Set(stored.map(({ candidateId }) => candidateId)).size).toBe(1);
  });

  test('gets the result of the run that was under way, once that ends', async () => {
    const search = await begin('in flight', 2);
    await propose('in flight', 1, { search, text: FIRST });
    const waiting = await propose('in flight', 2, { search, text: SECOND });
    expect(waiting.evaluatorNotes).toBe('the same program as trial 1, which is running');
    await score('in flight', 1, 1.5);
    const sources = { researchId: 'in flight', candidateIds: [waiting.candidateId ?? ''] };
    const source = (await bench.store.trial.findCopySources(sources)).get(idOf(FIRST));
    expect(source).toMatchObject({ n: 1, status: 'completed', value: 1.5 });
  });

  test('is no change if it is the parent, by a proposer that lists its proposals, too', async () => {
    const search = await begin('parent', 3);
    await propose('parent', 1, { search, text: FIRST });
    const parentId = idOf(FIRST);
    await bench.db.update(trials).set({ parentId }).where(eq(trials.researchId, 'parent'));
    expect(await propose('parent', 2, { search, text: SECOND })).toMatchObject({
      status: 'rejected',
      failure: 'no-change',
      candidateId: null,
    });
    const listed = await storeIfNew(await contextOf('parent', 3, search), proposedAs(SECOND));
    expect(listed).toMatchObject({ failure: 'no-change' });
  });

  test('is found if the known one is the original, which no proposal brought', async () => {
    const search = await begin('original', 2);
    await bench.store.trial.saveCandidate({ id: idOf(OTHER), immutableHash: 'i', files: filesOf(OTHER) });
    await bench.db
      .update(trials)
      .set({ kind: 'baseline', candidateId: idOf(OTHER), status: 'completed', value: 2 })
      .where(eq(trials.id, 'original/1'));
    expect(await propose('original', 2, { search, text: `${OTHER}// why\n` })).toMatchObject({
      status: 'cached',
      candidateId: idOf(OTHER),
    });
  });

  test('runs if the known one was rejected before its run, which stays known to its version of the task', async () => {
    const search = await begin('rejected', 4);
    await propose('rejected', 1, { search, text: FIRST });
    const rejected = {
      value: null,
      status: 'rejected',
      failure: { label: 'forbidden-name', message: 'rate' },
    } as const;
    await settle(bench.store, outcomeOf('rejected', 1, rejected));
    expect(await propose('rejected', 2, { search, text: FIRST })).toMatchObject({ status: 'cached', runsBefore: 1 });
    const corrected = { status: null, candidateId: idOf(CORRECTED), proposedId: null };
    expect(await propose('rejected', 3, { search, text: CORRECTED })).toMatchObject(corrected);
    const copy = { status: 'cached', candidateId: idOf(CORRECTED), proposedId: idOf(SECOND) };
    expect(await propose('rejected', 4, { search, text: SECOND })).toMatchObject(copy);
    const [version] = await bench.db.select().from(schema.taskVersions).where(eq(schema.taskVersions.hash, 'task-1'));
    await bench.db.insert(schema.taskVersions).values({ ...version!, hash: 'task-larger' });
    await storeTrials(bench.db, trialRow('rejected', 5, { parentId: BASELINE, taskHash: 'task-larger' }));
    expect(await propose('rejected', 5, { search, text: FIRST })).toMatchObject({
      status: null,
      candidateId: idOf(FIRST),
      runsBefore: 0,
    });
  });

  test('is another candidate under the rule `exact`, and under other immutable files', async () => {
    const search = await begin('exact', 2, { novelty: 'exact' });
    await propose('exact', 1, { search, text: FIRST });
    expect(await propose('exact', 2, { search, text: SECOND })).toMatchObject({
      status: null,
      candidateId: idOf(SECOND),
      proposedId: null,
      runsBefore: 0,
    });
    const compared = await begin('immutable', 2);
    await propose('immutable', 1, { search: compared, text: FIRST });
    const context = await contextOf('immutable', 2, compared);
    const changed = { ...context, version: { ...context.version, immutableHash: 'j' } };
    expect(await storeProposal(changed, proposedAs(SECOND))).toMatchObject({ status: null, proposedId: null });
  });

  test('earns no novelty, and no credit for its arm', async () => {
    const reward = { name: 'weighted-sum', scale: 'absolute', efficiency: 0, novelty: 3 } as const;
    const search = await begin('reward', 4, { reward, rerun: 2 });
    await bench.db
      .update(trials)
      .set({ kind: 'baseline', candidateId: BASELINE, parentId: null })
      .where(eq(trials.id, 'reward/1'));
    await bench.db.update(trials).set({ arm: 'llm' }).where(eq(trials.kind, 'search'));
    await bench.db.insert(schema.arms).values({ researchId: 'reward', key: 'llm', chosen: 3 });
    await score('reward', 1, 2);
    for (const [n, text] of [
      [2, FIRST],
      [3, SECOND],
      [4, SECOND],
    ] as const)
      await propose('reward', n, { search, text });
    for (const n of [2, 3]) await score('reward', n, 1.5);
    const rows = await bench.db.select().from(trials).where(eq(trials.researchId, 'reward')).orderBy(trials.n);
    expect(rows.map(({ rewardParts }) => rewardParts?.['novelty'] ?? 0).slice(1)).toEqual([expect.any(Number), 0, 0]);
    expect(rows.map(({ armReward }) => armReward).slice(1)).toEqual([0.5, 0, 0]);
    const [arm] = await bench.db.select().from(schema.arms).where(eq(schema.arms.researchId, 'reward'));
    expect(arm).toMatchObject({ trials: 3, scored: 2, reward: 0.5 });
  });
});
