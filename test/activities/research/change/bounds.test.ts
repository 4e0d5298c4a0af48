import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { fillTree } from '../../../../activities/propose/parent/fill-tree.ts';
import { changeTask } from '../../../../activities/research/change/change-task.ts';
import { readSingleBest } from '../../../../db/reads/read-best.ts';
import { alerts, researches, taskVersions } from '../../../../db/schema.ts';
import { advance } from '../../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, storeTrials, TASK, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { storedTree } from '../../../support/database/tree-oracle.ts';
import { changeOn } from './support.ts';

const bench = useDatabase();
const prepare = changeOn(bench);
const SEARCH = { kind: 'search' as const, parentId: BASELINE, ofTrial: null, seed: 1 };

describe('a change of task', () => {
  /** Changes the bounds of the metric in the version of {@link prepare}. */
  const setBounds = (hash: string, bounds: { min?: number; max?: number }) =>
    bench.db
      .update(taskVersions)
      .set({ task: { ...TASK, metric: { ...TASK.metric, ...bounds } } })
      .where(eq(taskVersions.hash, hash));
  const ended = { status: 'completed' as const, endedAt: new Date() };

  test('to bounds that hold all runs of baseline and incumbent keeps both, and drops a candidate outside', async () => {
    const input = await prepare('bounds', 'm');
    await storeTrials(bench.db, [
      trialRow('bounds', 1, { ...ended, kind: 'baseline', candidateId: BASELINE, value: 2 }),
      trialRow('bounds', 2, { ...ended, candidateId: WINNER, value: -3 }),
    ]);
    const research = await bench.store.research.findResearch('bounds');
    const config = { ...CONFIG, policy: 'noise-gated' as const, baselineRuns: 2 };
    const found = [2, 2.5].reduce(
      (gate, value, i) =>
        advance(config, gate, { ...SEARCH, kind: 'baseline', candidateId: BASELINE, n: i + 3, value }).state,
      research!.gate,
    );
    const { state: gate } = advance(config, found, { ...SEARCH, candidateId: WINNER, n: 2, value: -3 });
    expect([gate.leadId, gate.rawBest?.candidateId]).toEqual([WINNER, WINNER]);
    await bench.db.update(researches).set({ gate, gateConfig: config }).where(eq(researches.id, 'bounds'));
    await setBounds('bounds', { min: 0 });
    Object.assign(input.gate, { config });
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    const after = (await bench.store.research.findResearch('bounds'))!.gate;
    expect([after.baselineId, after.incumbentId, after.leadId]).toEqual([BASELINE, BASELINE, BASELINE]);
    expect(JSON.stringify({ ...after, asked: [] })).not.toContain(WINNER);
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'bounds'));
    expect(said?.message).toMatch(/incumbent kept\. Candidates that no longer count, .* new bounds: #2 \(-3\.000\)$/);
    const best = await readSingleBest(bench.db, { researchId: 'bounds', taskHash: 'bounds', direction: 'minimize' });
    expect(best).toBeNull();
    await bench.store.withResearch('bounds', (tx, changed) => fillTree(tx, changed));
    const tree = await storedTree(bench, 'bounds');
    expect(tree.map((node) => [node?.candidateId, node?.value])).toEqual([[BASELINE, -2]]);
    expect(await bench.store.trial.findBestTrials({ researchId: 'bounds', sign: -1, sd: 0, limit: 3 })).toEqual([]);
  });

  test('to bounds that a run of the incumbent exceeds starts the gate over, and names the run', async () => {
    const input = await prepare('exceeded', 'm');
    await storeTrials(bench.db, trialRow('exceeded', 1, { ...ended, candidateId: BASELINE, value: 2 }));
    await setBounds('exceeded', { max: 1.5 });
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: false });
    expect((await bench.store.research.findResearch('exceeded'))?.gate.baselineId).toBe('exceeded-baseline');
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'exceeded'));
    expect(said?.message).toMatch(
      /incumbent dropped: run #1 \(2\.000\) of the unmodified version lies outside the new bounds/,
    );
  });
});
