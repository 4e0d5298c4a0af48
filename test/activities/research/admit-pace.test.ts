import { describe, expect, test } from 'vitest';
import { trials, wantedRuns } from '../../../db/schema.ts';
import { BASELINE, insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { admitTrials } from '../../support/database/admit-trials.ts';

const bench = useDatabase();

const ask = (researchId: string, key: string) => ({ researchId, key, room: 1, activeSeconds: 0, proposals: true });

describe('the pace', () => {
  type Row = Parameters<typeof trialRow>[2];
  /** Seconds to wait, at a window of 4, after trials that ended so (the oldest first). */
  const pace = async (id: string, ended: NonNullable<Row>[]): Promise<number> => {
    await insertResearch(bench.db, id, { lastN: ended.length });
    await bench.db.insert(trials).values(ended.map((row, index) => trialRow(id, index + 1, row)));
    return (await admitTrials(bench.store, { ...ask(id, 'k1'), window: 4 })).paceSeconds;
  };
  const many = (count: number, row: NonNullable<Row>) => Array.from({ length: count }, () => row);
  const rejected = { status: 'rejected' as const };

  test('slows down with every batch of proposals that came to nothing, whatever is still under way', async () => {
    expect(await pace('nine', many(9, rejected))).toBe(0);
    expect(await pace('ten', [...many(5, rejected), ...many(5, { status: 'cached' }), {}])).toBe(5);
    expect(await pace('batch', many(14, rejected))).toBe(10);
    expect(await pace('batches', many(35, rejected))).toBe(300);
  });

  test('is full again after one proposal that came to something, and heeds no run without a proposal', async () => {
    expect(await pace('good', [...many(12, rejected), { status: 'crashed' }])).toBe(0);
    const baseline = { kind: 'baseline' as const, status: 'completed' as const };
    expect(await pace('beside', [...many(6, rejected), baseline, ...many(6, rejected)])).toBe(5);
  });

  test('holds wanted runs back while it lasts, and says so: a budget that is spent does not end them', async () => {
    const lost = { kind: 'confirm' as const, status: 'lost' as const };
    await pace('waits', many(14, lost));
    const waiting = (key: string) => admitTrials(bench.store, { ...ask('waits', key), proposals: false, window: 4 });
    expect(await waiting('k2')).toMatchObject({ trials: [], held: false });
    await bench.db.insert(wantedRuns).values({ researchId: 'waits', kind: 'confirm', candidateId: BASELINE });
    expect(await waiting('k3')).toMatchObject({ trials: [], held: true });
    await pace('for long', many(60, lost));
    await bench.db.insert(wantedRuns).values({ researchId: 'for long', kind: 'confirm', candidateId: BASELINE });
    expect(await admitTrials(bench.store, { ...ask('for long', 'k3'), proposals: false, window: 4 })).toMatchObject({
      trials: [],
      held: false,
    });
    const later = await admitTrials(bench.store, { ...ask('waits', 'k4'), proposals: true, window: 4 });
    expect(later).toMatchObject({ trials: [{ kind: 'confirm' }], held: false });
  });

  test('slows every kind of run down if machines lose them', async () => {
    const lost = { kind: 'confirm' as const, status: 'lost' as const };
    expect(await pace('losing', many(14, lost))).toBe(10);
    expect(await pace('held', [...many(9, lost), { kind: 'confirm', status: 'crashed' }, ...many(9, lost)])).toBe(0);
  });
});
