import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { injectRun } from '../../../activities/research/inject-proposal.ts';
import { readObservations } from '../../../db/trial/observations.ts';
import * as schema from '../../../db/schema.ts';
import { FURTHEST } from '../../../domain/search/observations.ts';
import { PERSON } from '../../../domain/search/proposer/table.ts';
import { BASELINE, storeTrials, trialRow } from '../../cli/support/lineage.ts';
import { candidateOf, fileWith, KNOB, knobResearch, lrs, STRUCTURE } from '../../support/database/knob-research.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const { open, propose, end, read } = knobResearch(bench);

test('a candidate is in flight from its proposal on, and observed from its first outcome on', async () => {
  await open('one');
  await propose('one', 1, 3);
  expect(await read('one')).toEqual({
    direction: 'minimize',
    best: [],
    latest: [],
    total: 0,
    inFlight: [{ candidateId: 'one-3', knobs: { [KNOB]: 3 }, structure: STRUCTURE }],
  });
  await bench.db.insert(schema.calls).values({ trialId: 'one/1', turn: 0, model: 'm', request: {}, usd: 0.5 });
  // Money of the evaluator says nothing about the proposal.
  const graded = { trialId: 'one/1', turn: 1, role: 'evaluator', model: 'm', usd: 4 } as const;
  await bench.db.insert(schema.calls).values(graded);
  await bench.db.update(schema.trials).set({ seconds: 7 }).where(eq(schema.trials.id, 'one/1'));
  await end('one', 1, 2.5);
  const observed = {
    candidateId: 'one-3',
    knobs: { [KNOB]: 3 },
    structure: STRUCTURE,
    proposer: 'random',
    value: 2.5,
    runs: 1,
    outcome: 'completed',
    seconds: 7,
    usd: 0.5,
  };
  expect(await read('one')).toEqual({
    direction: 'minimize',
    best: [observed],
    latest: [observed],
    total: 1,
    inFlight: [],
  });
});

test('the best are sorted by value, the latest by first outcome, up to the reach of a method', async () => {
  await open('many');
  for (const [n, lr] of [4, 1, 3, 2].entries()) await propose('many', n + 1, lr);
  for (const [n, lr] of [4, 1, 3, 2].entries())
    await end('many', n + 1, lr === 3 ? null : lr, lr === 3 ? 'crashed' : 'completed');
  // A re-run of candidate 4: its outcome counts, and its position stays.
  await storeTrials(bench.db, trialRow('many', 5, { kind: 'confirm', candidateId: 'many-4', taskHash: 'knobby' }));
  expect(await read('many')).toMatchObject({ total: 4, inFlight: [] });
  await end('many', 5, 2);
  const all = await read('many');
  expect([lrs(all.best), lrs(all.latest)]).toEqual([
    [1, 2, 4],
    [2, 3, 1, 4],
  ]);
  expect(all.latest.at(-1)).toMatchObject({ value: 3, runs: 2 });
  expect(all.latest[1]).toMatchObject({ value: null, runs: 0, outcome: 'crashed' });
  const some = await read('many', { reach: { best: 1, latest: 2 }, direction: 'maximize' });
  expect([lrs(some.best), lrs(some.latest), some.total]).toEqual([[4], [2, 3], 4]);
  expect(await read('many', { reach: { best: 0, latest: 0 } })).toMatchObject({ best: [], latest: [], total: 4 });
});

test('neither a copy of a candidate nor a repeated outcome adds anything', async () => {
  await open('copy');
  await propose('copy', 1, 3);
  await end('copy', 1, 1);
  await end('copy', 1, 9);
  await propose('copy', 2, 3);
  await end('copy', 2, null, 'cached');
  expect((await read('copy')).latest).toMatchObject([{ value: 1, runs: 1, outcome: 'completed' }]);
});

test('each task version has its own candidates; one that is kept over a change keeps its knobs', async () => {
  await open('changed');
  await propose('changed', 1, 3);
  await end('changed', 1, 1);
  await open('other', 'changed-task');
  await storeTrials(
    bench.db,
    trialRow('changed', 2, { kind: 'remeasure', candidateId: 'changed-3', taskHash: 'changed-task' }),
  );
  await end('changed', 2, 5);
  expect((await read('changed')).best).toMatchObject([{ value: 1 }]);
  expect((await read('changed', { taskHash: 'changed-task' })).best).toMatchObject([
    { value: 5, knobs: { [KNOB]: 3 }, structure: STRUCTURE, proposer: 'random' },
  ]);
});

test('the knobs of the original and of an injected candidate are known as well', async () => {
  await open('people');
  await storeTrials(bench.db, trialRow('people', 1, { kind: 'baseline', candidateId: BASELINE, taskHash: 'knobby' }));
  await end('people', 1, 1);
  await injectRun(bench.store, {
    researchId: 'people',
    taskHash: 'knobby',
    key: 'k',
    parentId: BASELINE,
    hypothesis: '',
    candidate: candidateOf('people', 8),
    knobs: { [KNOB]: 8 },
    structure: STRUCTURE,
  });
  await storeTrials(bench.db, trialRow('people', 2, { kind: 'injected', candidateId: 'people-8', taskHash: 'knobby' }));
  const { latest, inFlight } = await read('people');
  expect([lrs(latest), lrs(inFlight), latest[0]?.proposer]).toEqual([[0.1], [8], null]);
  await bench.db.update(schema.trials).set({ proposer: PERSON }).where(eq(schema.trials.id, 'people/2'));
  await end('people', 2, 2);
  expect((await read('people')).latest[0]).toMatchObject({
    knobs: { [KNOB]: 8 },
    structure: STRUCTURE,
    proposer: PERSON,
  });
});

test('the original has no proposer, even if it is proposed or injected before it has an outcome', async () => {
  const original = { id: BASELINE, immutableHash: 'i', files: fileWith(0.1) };
  await open('proposed');
  await storeTrials(bench.db, trialRow('proposed', 1, { proposer: 'policy', taskHash: 'knobby' }));
  await bench.store.trial.saveProposal({
    trialId: 'proposed/1',
    candidate: original,
    knobs: { [KNOB]: 0.1 },
    structure: STRUCTURE,
    hypothesis: '',
    expectedDelta: null,
    edits: [],
    runsBefore: 0,
  });
  await end('proposed', 1, 1);
  await open('injected');
  await injectRun(bench.store, {
    researchId: 'injected',
    taskHash: 'knobby',
    key: 'k',
    parentId: BASELINE,
    hypothesis: '',
    candidate: original,
    knobs: { [KNOB]: 0.1 },
    structure: STRUCTURE,
  });
  const row = { kind: 'injected', proposer: PERSON, candidateId: BASELINE, taskHash: 'knobby' } as const;
  await storeTrials(bench.db, trialRow('injected', 1, row));
  await end('injected', 1, 1);
  for (const id of ['proposed', 'injected'])
    expect((await read(id)).latest).toMatchObject([{ candidateId: BASELINE, proposer: null, value: 1 }]);
});

test('the best and the latest are each one index scan that reads hardly more rows than requested', async () => {
  await open('large');
  await bench.db.execute(sql`
    insert into observations (research_id, task_hash, candidate_id, knobs, seq, value, runs, outcome)
    select 'large', 'knobby', 'c' || n, '{}', n, (n * 7919) % 50000, 1, 'completed' from generate_series(1, 50000) n`);
  await bench.db.execute(sql`analyze observations`);
  const counted = await bench.db.transaction(async (tx) => {
    const { total, best, latest } = await readObservations(tx, {
      researchId: 'large',
      taskHash: 'knobby',
      direction: 'minimize',
      reach: FURTHEST,
    });
    expect([total, best.length, latest.length]).toEqual([50_000, 100, 1000]);
    const { rows } = await tx.execute<{ seqScan: number; tuples: number }>(sql`
      select seq_scan::int as "seqScan", idx_tup_fetch::int as tuples
      from pg_stat_xact_user_tables where relname = 'observations'`);
    return rows[0];
  });
  expect(counted?.seqScan).toBe(0);
  expect(counted?.tuples).toBeLessThan(1200);
});
