import { and, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { changeTask } from '../../../../activities/research/change/change-task.ts';
import { injectRun } from '../../../../activities/research/inject-proposal.ts';
import { alerts, researches, taskFiles, taskVersions, wantedRuns } from '../../../../db/schema.ts';
import { openGate } from '../../../../domain/gate/gate.ts';
import { BASELINE, TASK, WINNER } from '../../../cli/support/lineage.ts';
import type { Task } from '../../../../domain/task/task.ts';
import { useDatabase } from '../../../db/support.ts';
import { changeOn } from './support.ts';

const bench = useDatabase();

const prepare = changeOn(bench);

describe('a change of task', () => {
  test('that dropped the incumbent says so again if it is repeated under its key, and changes nothing', async () => {
    const input = { ...(await prepare('dropped', 'other')), key: 'run/1' };
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: false });
    const after = await bench.store.research.findResearch('dropped');
    const stores = Array.from({ length: 4 }, () => bench.another());
    for (const answer of await Promise.all(stores.map((store) => changeTask(store, input))))
      expect(answer).toEqual({ keptIncumbent: false });
    expect(await bench.store.research.findResearch('dropped')).toEqual(after);
  });

  test('under another key, to the version that runs now, keeps the incumbent and forgets the first key', async () => {
    const input = await prepare('again', 'other');
    expect(await changeTask(bench.store, { ...input, key: 'run/1' })).toEqual({ keptIncumbent: false });
    expect(await changeTask(bench.store, { ...input, key: 'run/2' })).toEqual({ keptIncumbent: true });
    expect((await bench.store.research.findResearch('again'))?.lastChange).toEqual({
      key: 'run/2',
      keptIncumbent: true,
    });
  });

  test('gives the evaluator the sandbox that an older version did not have, also if the version stays', async () => {
    const input = await prepare('older', 'm');
    const openEvaluator = async (openEvaluatorTask: string) =>
      bench.db.update(researches).set({ openEvaluatorTask }).where(eq(researches.id, 'older'));
    for (const key of ['run/1', 'run/2']) {
      await openEvaluator('task-1');
      await changeTask(bench.store, { ...input, key });
      expect((await bench.store.research.findResearch('older'))?.openEvaluatorTask).toBe(null);
    }
  });

  test('that makes a file of the incumbent immutable drops the incumbent, and names the file', async () => {
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
    expect(said?.message).toMatch(/incumbent kept\. run\.budget changed: baseline and incumbent keep the values/);
  });

  test.each([
    ['m', 'kept'],
    ['other', 'dropped'],
  ])('withdraws the ablations that have not begun, with the incumbent %s: %s', async (metricKey, incumbent) => {
    const id = `ablated-${incumbent}`;
    const input = await prepare(id, metricKey);
    const want = { researchId: id, kind: 'ablation' as const, candidateId: BASELINE, proposal: { claim: 1 } };
    await bench.db.insert(wantedRuns).values([{ ...want, n: 7 }, want, want]);
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: incumbent === 'kept' });
    const wanted = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, id));
    expect(wanted.filter(({ kind }) => kind === 'ablation').map(({ n }) => n)).toEqual([7]);
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, id));
    expect(said?.message).toMatch(/Ablations of claims: 2 runs had not begun and will not/);
  });

  test.each([
    ['m', 'kept'],
    ['other', 'dropped'],
  ])('withdraws the evaluations that have not begun, with the incumbent %s: %s', async (metricKey, incumbent) => {
    const id = `evaluated-${incumbent}`;
    const input = await prepare(id, metricKey);
    await bench.store.withResearch(id, (tx) =>
      tx.research.insertEvaluations({ researchId: id, candidateId: BASELINE, version: 1, samples: 3 }),
    );
    const begun = await bench.store.research.findWantedEvaluations({ researchId: id, limit: 1 });
    await bench.store.research.numberWantedRuns(begun.map(({ id: want }) => ({ id: want, n: 7 })));
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: incumbent === 'kept' });
    const wanted = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, id));
    expect(wanted.filter(({ kind }) => kind === 'evaluation').map(({ n }) => n)).toEqual([7]);
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, id));
    expect(said?.message).toMatch(
      /incumbent (kept|dropped).*Evaluations of versions: 2 samples had not begun and will not/,
    );
  });

  test('while nothing has a value makes the new starting text the baseline, and asks for its runs', async () => {
    const input = await prepare('crashing', 'm', ['train.mjs'], null);
    const idea = { kind: 'injected' as const, candidateId: WINNER, ofTrial: null };
    const proposal = { key: 'k', parentId: BASELINE, hypothesis: 'a smaller step' };
    await bench.db.insert(wantedRuns).values({ researchId: 'crashing', ...idea, proposal });
    const mended = { ...input, baseline: { ...input.baseline, files: { 'train.mjs': 'const LR = 1;\n' } } };
    expect(await changeTask(bench.store, mended)).toEqual({ keptIncumbent: false });
    expect(await bench.store.research.findResearch('crashing')).toMatchObject({
      baselineCandidate: 'crashing-baseline',
      gate: { baselineId: 'crashing-baseline', calibrating: { candidateId: 'crashing-baseline' } },
    });
    const open = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'crashing'));
    expect(open.map(({ kind, candidateId }) => ({ kind, candidateId }))).toEqual([
      { kind: 'injected', candidateId: WINNER },
      ...input.gate.wanted.map(() => ({ kind: 'baseline', candidateId: 'crashing-baseline' })),
    ]);
    expect(open[0]?.proposal).toEqual({ ...proposal, parentId: 'crashing-baseline' });
    const said = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'crashing'));
    expect(said.map(({ message }) => message)).toEqual([
      expect.stringMatching(/incumbent dropped: nothing has a value yet, so the new version is the baseline$/),
    ]);
  });

  test('of a key that is no part of a run keeps the baseline, also while nothing has a value', async () => {
    const input = await prepare('prompted', 'm', ['train.mjs'], null);
    const same = { ...input, baseline: { ...input.baseline, id: BASELINE } };
    expect(await changeTask(bench.store, same)).toEqual({ keptIncumbent: true });
  });

  test('to another starting text keeps an incumbent with a value, and says how to run the text', async () => {
    const input = { ...(await prepare('text', 'm')), key: 'run/1' };
    const edited = { ...input, baseline: { ...input.baseline, files: { 'train.mjs': 'const LR = 1;\n' } } };
    const first = await changeTask(bench.store, edited);
    expect(first).toEqual({
      keptIncumbent: true,
      notRun: expect.stringMatching(/^The research does not run the new starting text of train\.mjs .* To try it: /),
    });
    expect(await changeTask(bench.store, edited)).toEqual(first);
    const said = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'text'));
    expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('incumbent kept'), first.notRun]);
  });

  describe('to another search space', () => {
    const lr = (range: [number, number]): Task['knobs'][number] => ({
      file: 'train.mjs',
      name: 'LR',
      type: 'float',
      range,
      scale: 'linear',
    });
    /** The values of LR in the files of the baseline and of another candidate are 0.1 and 5. */
    async function narrow(id: string, knobs: Task['knobs'], leadId = BASELINE) {
      const input = { ...(await prepare(id, 'm')), key: 'run/1' };
      const files = { 'train.mjs': 'const LR = 5;\n' };
      await bench.store.trial.saveCandidate({ id: 'far', immutableHash: 'i', files });
      const research = await bench.store.research.findResearch(id);
      if (!research) throw new Error(`Expected a research ${id}`);
      const gate = { ...research.gate, leadId };
      await bench.db.update(researches).set({ gate }).where(eq(researches.id, id));
      await bench.db
        .update(taskVersions)
        .set({ task: { ...TASK, knobs } })
        .where(eq(taskVersions.hash, id));
      return input;
    }
    const alertsOf = async (id: string): Promise<string[]> =>
      (await bench.db.select().from(alerts).where(eq(alerts.researchId, id))).map(({ message }) => message);

    test('names the knobs by which the incumbent lies outside, in the answer and in an alert', async () => {
      const input = await narrow('outside', [lr([0.5, 1])]);
      const answer = await changeTask(bench.store, input);
      expect(answer).toEqual({
        keptIncumbent: true,
        outside: expect.stringContaining(
          'The unmodified version, which is also the lead, lies outside the new search space: ' +
            'LR = 0.1 (allowed: 0.5 to 1). From now on, ',
        ),
      });
      expect(await changeTask(bench.store, input)).toEqual(answer);
      expect((await alertsOf('outside')).filter((message) => message === answer.outside)).toHaveLength(1);
    });

    test('names the lead alone if the incumbent lies inside', async () => {
      const { outside } = await changeTask(bench.store, await narrow('lead', [lr([0, 1])], 'far'));
      expect(outside).toMatch(
        /^The lead lies outside the new search space: LR = 5 \(allowed: 0 to 1\)\. From now on, /,
      );
    });

    test('says nothing if the proposer may leave the space, as `status` does', async () => {
      const input = await narrow('free', [lr([0.5, 1])]);
      await bench.db.update(researches).set({ proposer: 'llm' }).where(eq(researches.id, 'free'));
      expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    });

    test('says nothing if both lie inside', async () => {
      expect(await changeTask(bench.store, await narrow('inside', [lr([0, 10])], 'far'))).toEqual({
        keptIncumbent: true,
      });
    });
  });

  test('of an immutable file keeps the incumbent, and says that its value may not compare', async () => {
    const input = await prepare('fixed', 'm');
    await bench.db.delete(taskFiles).where(and(eq(taskFiles.taskHash, 'fixed'), eq(taskFiles.path, 'bin/run.sh')));
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'fixed'));
    expect(said?.message).toMatch(/incumbent kept\. bin\/run\.sh \(immutable\) changed: baseline and incumbent keep/);
  });

  test('to another environment names it as the reason why the incumbent is dropped', async () => {
    const input = await prepare('packages', 'other');
    const [file] = await bench.db.select().from(taskFiles).where(eq(taskFiles.taskHash, 'packages'));
    if (!file) throw new Error('Expected a file');
    await bench.db.insert(taskFiles).values({ ...file, role: 'environment', path: 'requirements.lock' });
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: false });
    const [said] = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'packages'));
    expect(said?.message).toMatch(/incumbent dropped: the new version has another environment$/);
  });

  test('to another rule takes back the runs of the old one and asks for those of the new', async () => {
    const input = await prepare('rule', 'm');
    const config = { ...input.gate.config, baselineRuns: input.gate.config.baselineRuns + 4, minDelta: 0.5 };
    const { state, wanted } = openGate(input.gate.config, BASELINE);
    await bench.db.update(researches).set({ gate: state }).where(eq(researches.id, 'rule'));
    await bench.db.insert(wantedRuns).values(wanted.map((want) => ({ researchId: 'rule', ...want })));
    const baseline = { ...input.baseline, id: BASELINE };
    expect(await changeTask(bench.store, { ...input, baseline, gate: { ...input.gate, config } })).toEqual({
      keptIncumbent: true,
    });
    const after = await bench.store.research.findResearch('rule');
    expect(after).toMatchObject({ gateConfig: config, gate: { calibrating: { need: wanted.length + 4 } } });
    const open = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'rule'));
    expect(open).toHaveLength(wanted.length + 4);
  });

  test("drops a person's proposal that changes an immutable file, and keeps the others", async () => {
    const input = await prepare('mine', 'm');
    for (const path of ['train.mjs', 'gone.mjs'])
      await injectRun(bench.store, {
        researchId: 'mine',
        taskHash: 'task-1',
        key: path,
        parentId: BASELINE,
        hypothesis: path,
        candidate: { id: `mine-${path}`, immutableHash: 'i', files: { [path]: '1' } },
        knobs: {},
        structure: null,
      });
    expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: true });
    // A proposal that was checked against the version before is checked again.
    const late = { researchId: 'mine', taskHash: 'task-1', key: 'late', parentId: BASELINE, hypothesis: 'late' };
    const candidate = { id: 'late', immutableHash: 'i', files: {} };
    await expect(injectRun(bench.store, { ...late, candidate, knobs: {}, structure: null })).rejects.toThrow(
      'has to be checked again',
    );
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
