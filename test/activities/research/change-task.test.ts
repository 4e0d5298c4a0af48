import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { changeTask } from '../../../activities/research/change-task.ts';
import { injectRun } from '../../../activities/research/inject-run.ts';
import { alerts, researches, taskVersions, wantedRuns } from '../../../db/schema.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { settingsOf } from '../../../domain/search/overrides.ts';
import { BASELINE, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

/** A research of the toy task, and another version of it. */
async function prepare(id: string, metricKey: string, mutablePaths = ['train.mjs']) {
  await insertResearch(bench.db, id);
  const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e' };
  await bench.db.insert(taskVersions).values({ ...names, hash: id, task: TASK, metricKey, mutablePaths });
  const baseline = { id: `${id}-baseline`, immutableHash: 'i', files: {} };
  const research = await bench.store.research.findResearch(id);
  if (!research) throw new Error(`Expected a research ${id}`);
  const config = research.gateConfig;
  const own = { settings: settingsOf(TASK), settingsHash: 'settings', unfit: [] };
  return { researchId: id, taskHash: id, baseline, own, gate: { config, ...openGate(config, baseline.id) } };
}

describe('a change of task', () => {
  test('that dropped the incumbent says so again when it is repeated under its key, and changes nothing more', async () => {
    const input = { ...(await prepare('dropped', 'other')), key: 'run/1' };
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: false });
    const after = await bench.store.research.findResearch('dropped');
    const stores = Array.from({ length: 4 }, () => bench.another());
    for (const answer of await Promise.all(stores.map((store) => changeTask(store, input))))
      expect(answer).toEqual({ keptIncumbent: false });
    expect(await bench.store.research.findResearch('dropped')).toEqual(after);
  });

  test('under another key, to the version that it runs now, keeps the incumbent; the first key is forgotten', async () => {
    const input = await prepare('again', 'other');
    expect(await changeTask(bench.store, { ...input, key: 'run/1' })).toEqual({ keptIncumbent: false });
    expect(await changeTask(bench.store, { ...input, key: 'run/2' })).toEqual({ keptIncumbent: true });
    expect((await bench.store.research.findResearch('again'))?.lastChange).toEqual({
      key: 'run/2',
      keptIncumbent: true,
    });
  });

  test('that takes a file of the incumbent from what may be changed drops it, and says which', async () => {
    const input = await prepare('narrower', 'm', ['other.mjs']);
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: false });
    expect(await bench.store.research.findResearch('narrower')).toMatchObject({
      baselineCandidate: 'narrower-baseline',
    });
    const said = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'narrower'));
    expect(said.map(({ message }) => message).join()).toMatch(/incumbent dropped: train\.mjs is no longer mutable/);
  });

  test('to another budget of a run keeps the incumbent, and says that its value may not compare', async () => {
    const input = await prepare('longer', 'm');
    const task = { ...TASK, run: { ...TASK.run, budget: { ...TASK.run.budget, seconds: 60 } } };
    await bench.db.update(taskVersions).set({ task }).where(eq(taskVersions.hash, 'longer'));
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'longer'));
    expect(said?.message).toMatch(/incumbent kept; run\.budget changed: baseline and incumbent keep the values/);
  });

  test('to another rule takes back the runs of the old one and asks for those of the new', async () => {
    const input = await prepare('rule', 'm');
    const config = { ...input.gate.config, baselineRuns: input.gate.config.baselineRuns + 4, minDelta: 0.5 };
    const { state, wants } = openGate(input.gate.config, BASELINE);
    await bench.db.update(researches).set({ gate: state }).where(eq(researches.id, 'rule'));
    await bench.db.insert(wantedRuns).values(wants.map((want) => ({ researchId: 'rule', ...want })));
    expect(await changeTask(bench.store, { ...input, gate: { ...input.gate, config } })).toEqual({
      keptIncumbent: true,
    });
    const after = await bench.store.research.findResearch('rule');
    expect(after).toMatchObject({ gateConfig: config, gate: { calibrating: { need: wants.length + 4 } } });
    const open = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'rule'));
    expect(open).toHaveLength(wants.length + 4);
  });

  test("drops a person's proposal that changes what may no longer be changed, and keeps the others", async () => {
    const input = await prepare('mine', 'm');
    for (const path of ['train.mjs', 'gone.mjs'])
      await injectRun(bench.store, {
        ...{ researchId: 'mine', taskHash: 'task-1', key: path, parentId: BASELINE, hypothesis: path },
        candidate: { id: `mine-${path}`, immutableHash: 'i', files: { [path]: '1' } },
      });
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    // One that was checked against the version before is checked again.
    const late = { researchId: 'mine', taskHash: 'task-1', key: 'late', parentId: BASELINE, hypothesis: 'late' };
    const candidate = { id: 'late', immutableHash: 'i', files: {} };
    await expect(injectRun(bench.store, { ...late, candidate })).rejects.toThrow('has to be checked again');
    const open = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'mine'));
    expect(open.map(({ candidateId }) => candidateId)).toEqual(['mine-train.mjs']);
  });

  test('with the same metric and evaluator keeps the incumbent, with a key or without', async () => {
    const input = await prepare('kept', 'm');
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    expect(await bench.store.research.findResearch('kept')).toMatchObject({ taskHash: 'kept', lastChange: null });
    expect(await changeTask(bench.store, { ...input, key: 'run/1' })).toEqual({ keptIncumbent: true });
  });
});
