import { describe, expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { Fleet, Gantt, GanttQuery } from '../../../../dashboard/api/fleet.ts';
import { fleet, gantt } from '../../../../dashboard/server/routes/fleet.ts';
import { useReader } from '../../../db/reads/page/support.ts';
import { readData, NOW, readRoute } from './read-route.ts';
import { Learning, UpdateTrials } from '../../../../dashboard/api/learning.ts';
import { learning, update } from '../../../../dashboard/server/routes/learning.ts';
import { Explanation } from '../../../../dashboard/api/research/explanation.ts';
import { explanation } from '../../../../dashboard/server/routes/research/explanation.ts';
import { insertAblation, insertKnobs } from '../../../support/database/insert-knobs.ts';
import { Tree, TreeQuery } from '../../../../dashboard/api/tree.ts';
import { tree } from '../../../../dashboard/server/routes/tree.ts';

describe('the fleet', () => {
  const bench = useReader(async (db) => {
    await seedResearch(db, { id: 'toy', trials: 60, now: NOW });
  });

  test('and its bars over time match the contract', async () => {
    const now = await readData(bench.reader, fleet);
    expect(Fleet.parse(now)).toEqual(now);
    expect(now.slots).toHaveLength(8);
    const day = await readData(bench.reader, gantt);
    expect(Gantt.parse(day)).toEqual(day);
    expect(day.to).toBe(NOW.toISOString());
    const hour = await readData(bench.reader, gantt, {
      input: { from: '2026-11-20T11:00:00Z', to: '2026-11-20T11:30:00Z' },
    });
    expect(hour.bars.trialId.length).toBeLessThan(day.bars.trialId.length);
  });

  test('is refused for an invalid time', () => {
    for (const from of ['yesterday', '2026-11-20', '1e9', ''])
      expect(GanttQuery.safeParse({ from }).success).toBe(false);
  });
});

describe('the learning', () => {
  const bench = useReader(async (db) => {
    await seedResearch(db, { id: 'learns', trials: 150, learns: true });
    await seedResearch(db, { id: 'toy', trials: 20 });
  });

  test('of a policy matches the contract, as does each of its versions', async () => {
    const found = await readData(bench.reader, learning, { input: { id: 'learns' } });
    expect(Learning.parse(found)).toEqual(found);
    for (const k of [0, ...found.updates.map((made) => made.k)]) {
      const made = await readData(bench.reader, update, { input: { id: 'learns', k: String(k) } });
      expect(UpdateTrials.parse(made)).toEqual(made);
      expect(made.batch).toHaveLength(k === 0 ? 0 : 16);
    }
  });

  test('has no page for a research that learns nothing, and is refused for an invalid version', async () => {
    expect(await readRoute(bench.reader, learning, { input: { id: 'toy' } })).toBeUndefined();
    expect(await readRoute(bench.reader, learning, { input: { id: 'nobody' } })).toBeUndefined();
    expect(await readRoute(bench.reader, update, { input: { id: 'learns', k: '999' } })).toBeUndefined();
    for (const k of ['-1', 'base', '1.5', '']) expect(update.input.safeParse({ id: 'learns', k }).success).toBe(false);
  });
});

describe('the lineage', () => {
  const bench = useReader((db) => seedResearch(db, { id: 'wild', trials: 200, hostile: true }));

  test('matches the contract, whole and below a candidate', async () => {
    const whole = await readData(bench.reader, tree, { input: { id: 'wild' } });
    expect(Tree.parse(whole)).toEqual(whole);
    const root = whole.path[0] ?? '';
    const part = await readData(bench.reader, tree, { input: { id: 'wild', root, depth: '3' } });
    expect(Tree.parse(part)).toEqual(part);
    expect(part.nodes[0]).toMatchObject({ candidateId: root, role: 'baseline' });
  });

  test('is missing for an unknown research or candidate, and refused for a depth above six', async () => {
    expect(await readRoute(bench.reader, tree, { input: { id: 'nobody' } })).toBeUndefined();
    expect(await readRoute(bench.reader, tree, { input: { id: 'wild', root: 'nothing' } })).toBeUndefined();
    for (const depth of ['0', '7', 'deep', '1.5']) expect(TreeQuery.safeParse({ depth }).success).toBe(false);
  });
});

describe('the explanation', () => {
  const bench = useReader(async (db) => {
    await seedResearch(db, { id: 'wild', trials: 100, hostile: true });
    await insertKnobs(db, ['wild']);
    await insertAblation(db, 'wild');
  });

  test('matches the contract, and names the knob that mattered', async () => {
    const found = await readData(bench.reader, explanation, { input: { id: 'wild' } });
    expect(Explanation.parse(found)).toEqual(found);
    const [best] = found.knobs.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0));
    expect(best).toMatchObject({ name: 'learning_rate', without: null });
    expect(found.lines).toHaveLength(60);
    expect(found.ablations).toMatchObject([{ claim: 1, edits: [{ isOriginal: false, requested: 2, gain: null }] }]);
  });

  test('is missing for an unknown research', async () => {
    expect(await readRoute(bench.reader, explanation, { input: { id: 'nobody' } })).toBeUndefined();
  });
});
