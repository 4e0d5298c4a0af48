import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../../activities/outcome/settle.ts';
import { requestAblation } from '../../../activities/research/ablate.ts';
import { readAblations } from '../../../db/reads/read-ablations.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, insertResearch } from '../../cli/support/lineage.ts';
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
