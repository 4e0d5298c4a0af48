import { expect, test } from 'vitest';
import { trials } from '../../../db/schema.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('runs without a verdict and failures, however many, do not hide the last verdicts', async () => {
  await insertResearch(bench.db, 'ruled', { lastN: 9, gate: openGate(CONFIG, BASELINE).state });
  const ended = { status: 'completed', value: 1, endedAt: new Date(1000) } as const;
  await bench.db.insert(trials).values([
    trialRow('ruled', 1, { ...ended, verdict: 'keep' }),
    trialRow('ruled', 2, { ...ended, kind: 'injected', verdict: 'discard' }),
    trialRow('ruled', 3, { ...ended, verdict: 'confirm' }),
    // Three runs of a race that is open, as proposals of a known candidate, then a confirmation and two failures.
    ...[4, 5, 6].map((n) => trialRow('ruled', n, { ...ended, verdict: 'none' })),
    trialRow('ruled', 7, { ...ended, kind: 'confirm', verdict: 'none' }),
    trialRow('ruled', 8, { status: 'crashed', endedAt: new Date(1000) }),
    trialRow('ruled', 9, { status: 'rejected', verdict: 'none', endedAt: new Date(1000) }),
  ]);
  const found = await bench.store.research.findRecentVerdicts({ researchId: 'ruled', limit: 3 });
  expect(found.map(({ n, verdict }) => `#${n} ${verdict}`)).toEqual(['#3 confirm', '#2 discard', '#1 keep']);
});
