import { expect, test } from 'vitest';
import { advance, type GateState, openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { admitTrials } from '../../support/database/admit-trials.ts';

const bench = useDatabase();
const ask = (researchId: string) => ({ researchId, key: 'k1', room: 8, window: 8, activeSeconds: 0, proposals: true });
const kindsOf = async (id: string, more = {}) =>
  (await admitTrials(bench.store, { ...ask(id), ...more })).trials.map(({ kind }) => kind);
const request = (researchId: string, samples: number) =>
  bench.store.withResearch(researchId, (tx) =>
    tx.research.insertEvaluations({ researchId, candidateId: BASELINE, version: 3, samples }),
  );

/** A gate whose baseline is measured. */
function measuredGate(): GateState {
  let { state } = openGate(CONFIG, BASELINE);
  for (let n = 101; state.calibrating !== null && n < 120; n += 1) {
    const run = { n, kind: 'baseline' as const, candidateId: BASELINE, parentId: null, ofTrial: null, seed: n };
    state = advance(CONFIG, state, { ...run, value: 1 + (n % 3) / 100 }).state;
  }
  return state;
}

test('evaluations wait for the baseline', async () => {
  await insertResearch(bench.db, 'unmeasured', { gate: openGate(CONFIG, BASELINE).state });
  await request('unmeasured', 2);
  expect(await kindsOf('unmeasured')).not.toContain('evaluation');
});

test('evaluations take the room that proposals leave, without a candidate, and are no proposals', async () => {
  await insertResearch(bench.db, 'room', { admitted: {}, gate: measuredGate() });
  await request('room', 20);
  const admitted = (await admitTrials(bench.store, ask('room'))).trials;
  const evaluations = admitted.filter(({ kind }) => kind === 'evaluation');
  expect(evaluations.length).toBeGreaterThanOrEqual(2);
  expect(evaluations.map(({ candidateId }) => candidateId)).toEqual(evaluations.map(() => null));
  const version = await bench.store.withResearch('room', (tx) =>
    tx.research.findEvaluatedVersion({ researchId: 'room', n: evaluations[0]?.n ?? 0 }),
  );
  expect(version).toBe(3);
  // A repeated admission returns the same trials.
  expect((await admitTrials(bench.store, ask('room'))).trials).toEqual(admitted);
});
