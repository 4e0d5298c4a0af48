import { createHash } from 'node:crypto';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../../activities/outcome/settle.ts';
import { requestAblation } from '../../../activities/research/ablate.ts';
import { readAblations } from '../../../db/reads/explanation/read-ablations.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { researches, taskVersions, wantedRuns } from '../../../db/schema.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { AblateArgs } from '../../../domain/messages.ts';
import { BASELINE, CONFIG, insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { admitTrials } from '../../support/database/admit-trials.ts';

const bench = useDatabase();
const CLAIMED = 'claimed';
const machine = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') };
const request = (researchId: string, more: { key?: string; claim?: number; trials?: number } = {}) =>
  requestAblation({ store: bench.store, machine }, { researchId, key: `${researchId}/1`, ...more });

/** A research whose claim changed two lines of the unmodified version. */
async function claimed(id: string, more: Parameters<typeof insertResearch>[2] = {}): Promise<void> {
  await insertResearch(bench.db, id, more);
  const lines = ['a', 'b', 'c'];
  await bench.store.trial.saveCandidate({
    id: CLAIMED,
    immutableHash: 'i',
    files: { 'train.mjs': `1\n${lines.join('\n')}\n2\n` },
  });
  const text = (first: number, last: number) => `${first}\n${lines.join('\n')}\n${last}\n`;
  await bench.db.execute(sql`
    insert into claims (research_id, seq, candidate_id, of_trial, value, sd, n, reason)
    values (${id}, 1, ${CLAIMED}, 4, 1, 0.1, 6, 'won')`);
  await bench.store.trial.saveCandidate({
    id: `${id}-original`,
    immutableHash: 'i',
    files: { 'train.mjs': text(0, 0) },
  });
  await bench.store.research.updateResearch(id, { baselineCandidate: `${id}-original` });
}

const wantedOf = async (id: string) =>
  (
    await bench.db.execute<{ kind: string; edit: string | null }>(sql`
      select kind, proposal ->> 'edit' as edit from wanted_runs where research_id = ${id} and kind = 'ablation'
      order by id`)
  ).rows;

test('the claim and each variant are requested in turns, once per key', async () => {
  await claimed('turns');
  const result = { claim: 1, variants: 2, runs: 2, trials: 6 };
  expect(await request('turns', { trials: 8 })).toEqual(result);
  expect(await request('turns', { trials: 8 })).toEqual(result);
  const turn = [null, 'train.mjs: line 1', 'train.mjs: line 5'].map((edit) => ({ kind: 'ablation', edit }));
  expect(await wantedOf('turns')).toEqual([...turn, ...turn]);
});

test('an ablation is refused without a claim, for an unknown claim, and with too small a budget', async () => {
  await insertResearch(bench.db, 'unclaimed', {});
  expect(await request('unclaimed')).toEqual({ refused: 'the research has no claim yet' });
  await claimed('small');
  expect(await request('small', { claim: 9 })).toEqual({ refused: 'claim: expected one of its claims, got 9' });
  expect(await request('small', { trials: 5 })).toMatchObject({
    refused: expect.stringContaining('at least 6 trials'),
  });
  expect(await wantedOf('small')).toEqual([]);
});

test('an ablation is refused while runs of another have not started', async () => {
  await claimed('open');
  await request('open');
  expect(await request('open', { key: 'open/2' })).toEqual({
    refused: 'expected no open ablation, got one with 9 runs yet to start',
  });
  await bench.db.update(wantedRuns).set({ n: 7 }).where(eq(wantedRuns.researchId, 'open'));
  expect(await request('open', { key: 'open/2' })).toMatchObject({ trials: 9 });
});

test('the largest ablation is stored, and a larger one is refused', async () => {
  await insertResearch(bench.db, 'largest', {});
  const variants = Array.from({ length: 51 }, (_, edit) => ({ edit: edit === 0 ? null : `${edit}`, candidateId: 'c' }));
  const input = { researchId: 'largest', ofTrial: 4, key: 'k', claim: 1, runs: 20, variants };
  await bench.store.withResearch('largest', (tx) => tx.research.insertAblation(input));
  expect(await wantedOf('largest')).toHaveLength(1020);
  expect(AblateArgs.safeParse({ trials: 1020 }).success).toBe(true);
  expect(AblateArgs.safeParse({ trials: 1021 }).success).toBe(false);
});

test('a budget of trials that counts ablations limits their runs', async () => {
  const { state: gate } = openGate(CONFIG, BASELINE);
  const counts: ['search', 'ablation'] = ['search', 'ablation'];
  await claimed('limited', { admitted: {}, gate: { ...gate, calibrating: null }, budget: { ...TASK.budget, counts } });
  await request('limited');
  const kindsOf = async (key: string, trials: number, room: number) => {
    const budget = { ...TASK.budget, counts, trials };
    await bench.db.update(researches).set({ budget }).where(eq(researches.id, 'limited'));
    const ask = { researchId: 'limited', key, room, window: 20, activeSeconds: 0, proposals: true };
    return (await admitTrials(bench.store, ask)).trials.map(({ kind }) => kind);
  };
  expect(await kindsOf('k1', 4, 20)).toEqual(Array.from({ length: 4 }, () => 'ablation'));
  expect(await kindsOf('k2', 4, 20)).toEqual([]);
  expect(await kindsOf('k3', 10, 20)).toEqual([...Array.from({ length: 5 }, () => 'ablation'), 'search']);
});

test('results under the present task leave out runs of other versions and merge requests by edit', async () => {
  await claimed('moved');
  await bench.db.insert(taskVersions).select(
    bench.db
      .select({ ...getTableColumns(taskVersions), hash: sql<string>`'older'`.as('hash') })
      .from(taskVersions)
      .where(eq(taskVersions.hash, 'task-1')),
  );
  const ended = { kind: 'ablation' as const, status: 'completed' as const, ofTrial: 4 };
  const values = [9, 9, 1, 2, 2, 4];
  await storeTrials(
    bench.db,
    values.map((value, n) => trialRow('moved', n + 1, { ...ended, value, taskHash: n < 2 ? 'older' : 'task-1' })),
  );
  const want = (candidateId: string, edit: string | null, n: number | null) => ({
    researchId: 'moved',
    kind: 'ablation' as const,
    candidateId,
    ofTrial: 4,
    n,
    proposal: { key: `${n ?? 'open'}`, claim: 1, edit },
  });
  await bench.db
    .insert(wantedRuns)
    .values([
      want('old-claim', null, 1),
      want('old-variant', 'e', 2),
      want('claim', null, 3),
      want('variant', 'e', 4),
      want('claim', null, 5),
      want('other-variant', 'e', 6),
      want('other-variant', 'e', null),
    ]);
  const view = await readResearch(bench.db, { researchId: 'moved' });
  const [ablation, ...others] = view === undefined ? [] : await readAblations(bench.db, view);
  expect(others).toEqual([]);
  expect(ablation).toMatchObject({ claim: 1, ended: 2, requested: 2 });
  expect(ablation?.edits).toMatchObject([{ edit: 'e', with: 1.5, without: 3, ended: 2, requested: 3 }]);
});

test('runs of an ablation leave gate, observations and tree alone, and give the gain of each edit', async () => {
  const gate = openGate(CONFIG, BASELINE).state;
  await claimed('measured', { admitted: {}, gate, nodes: 0 });
  await request('measured');
  const ask = { researchId: 'measured', key: 'k', room: 20, window: 20, activeSeconds: 0, proposals: false };
  const { trials } = await admitTrials(bench.store, ask);
  const runs = trials.filter(({ kind }) => kind === 'ablation');
  expect(runs).toHaveLength(9);
  for (const [index, { trialId }] of runs.entries()) {
    const value = 1 + (index % 3) + (index % 2) / 100;
    const outcome = {
      status: 'completed' as const,
      value,
      metrics: {},
      evaluatorNotes: null,
      trusted: true,
      failure: null,
    };
    await settle(bench.store, { trialId, researchId: 'measured', ...outcome });
  }
  const research = await bench.store.research.findResearch('measured');
  expect({ ...research?.gate, counted: gate.counted }).toEqual(gate);
  expect(research).toMatchObject({ nodes: 0, admitted: { ablation: 9 } });
  const { rows } = await bench.db.execute(sql`
    select (select count(*)::int from observations where research_id = 'measured') as observations,
      (select count(*)::int from nodes where research_id = 'measured') as nodes,
      (select count(*)::int from trials
        where research_id = 'measured' and kind = 'ablation' and verdict <> 'none') as judged`);
  expect(rows).toEqual([{ observations: 0, nodes: 0, judged: 0 }]);

  const view = await readResearch(bench.db, { researchId: 'measured' });
  const [ablation, ...others] = view === undefined ? [] : await readAblations(bench.db, view);
  expect(others).toEqual([]);
  expect(ablation).toMatchObject({ claim: 1, ofTrial: 4, ended: 3, requested: 3 });
  expect(ablation?.edits.map(({ edit, runsWithout, isOriginal }) => ({ edit, runsWithout, isOriginal }))).toEqual([
    { edit: 'train.mjs: line 1', runsWithout: 3, isOriginal: false },
    { edit: 'train.mjs: line 5', runsWithout: 3, isOriginal: false },
  ]);
  expect(ablation?.edits.map(({ gain }) => Math.round(gain ?? NaN))).toEqual([1, 2]);
});
