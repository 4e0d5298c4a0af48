import { expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { trials } from '../../../db/schema.ts';
import { BASELINE, CONFIG, insertResearch, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const ask = (researchId: string) => ({ researchId, key: 'k1', room: 8, window: 8, activeSeconds: 0, proposals: true });

test('an evaluation draws its first sample once its baseline is measured', async () => {
  const gateConfig = { ...CONFIG, measuresOnly: true };
  await insertResearch(bench.db, 'waits', { gateConfig, gate: openGate(gateConfig, BASELINE).state });
  expect((await admitTrials(bench.store, ask('waits'))).trials).toEqual([]);
  await insertResearch(bench.db, 'searches', { gateConfig: CONFIG, gate: openGate(CONFIG, BASELINE).state });
  expect((await admitTrials(bench.store, ask('searches'))).trials).toHaveLength(8);
});

test('answers that cannot be read do not slow an evaluation down, and lost runs do', async () => {
  const paceAfter = async (id: string, status: 'rejected' | 'lost'): Promise<number> => {
    const { trials: limit, ...budget } = TASK.budget;
    void limit;
    await insertResearch(bench.db, id, {
      lastN: 20,
      admitted: { search: 20 },
      budget: { ...budget, proposals: 40 },
      gateConfig: { ...CONFIG, measuresOnly: true },
    });
    await bench.db.insert(trials).values(Array.from({ length: 20 }, (_, index) => trialRow(id, index + 1, { status })));
    const { paceSeconds, spent } = await admitTrials(bench.store, ask(id));
    expect(spent).toBeNull();
    return paceSeconds;
  };
  expect(await paceAfter('unreadable', 'rejected')).toBe(0);
  expect(await paceAfter('lost', 'lost')).toBeGreaterThan(0);
});
