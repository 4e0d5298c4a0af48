import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { injectRun } from '../../../activities/research/inject-proposal.ts';
import { createStore } from '../../../db/store.ts';
import { BASELINE, insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

test('old wanted runs cost nothing: neither an injection nor an admission reads them all', async () => {
  for (const id of ['long', 'beside']) await insertResearch(bench.db, id);
  await bench.db.execute(sql`
    insert into wanted_runs (research_id, kind, candidate_id, n, proposal)
    select r, 'injected', ${BASELINE}, n,
      jsonb_build_object('key', 'k' || n, 'parentId', ${BASELINE}::text, 'hypothesis', 'old')
    from unnest(array['long', 'beside']) r, generate_series(-20000, -1) n`);
  await bench.db.execute(sql`analyze wanted_runs`);
  const scans = await bench.db.transaction(async (tx) => {
    // The server counts for this transaction alone, at once.
    const store = createStore(tx);
    const candidate = { id: 'by-hand', immutableHash: 'i', files: { 'a.txt': 'x' } };
    const proposal = { key: 'new', candidate, knobs: {}, structure: null, parentId: BASELINE, hypothesis: 'new' };
    await injectRun(store, { researchId: 'long', taskHash: 'task-1', ...proposal });
    const ask = { researchId: 'long', key: 'k', room: 1, activeSeconds: 0, proposals: true };
    const { trials } = await admitTrials(store, ask);
    expect(trials).toMatchObject([{ kind: 'injected' }]);
    return tx.execute<{ seqScan: number; tuples: number }>(
      sql`select seq_scan::int as "seqScan", idx_tup_fetch::int as tuples
        from pg_stat_xact_user_tables where relname = 'wanted_runs'`,
    );
  });
  expect(scans.rows[0]?.seqScan).toBe(0);
  expect(scans.rows[0]?.tuples).toBeLessThan(100);
});
