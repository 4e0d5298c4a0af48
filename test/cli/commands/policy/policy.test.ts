import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { and, eq } from 'drizzle-orm';
import { policies, policyBases, updates, wantedRuns } from '../../../../db/schema.ts';
import { runOn } from '../../support/cli.ts';
import { type Lineage, sharedServer } from '../../support/database.ts';
import { BASELINE, insertResearch, storeTrials, TASK, trialRow } from '../../support/lineage.ts';
import { CHECKPOINT, insertLearning, METRICS, STEP_KEY } from '../../../support/database/learning.ts';

let story: Lineage;

beforeAll(async () => {
  story = await sharedServer().open();
  await insertLearning(story.db, 'toy');
  await insertResearch(story.db, 'plain');
});
afterAll(() => story.close());

const policy = (...argv: string[]) => runOn(story.url, ['policy', ...argv]);
const json = async (...argv: string[]) => (await policy(...argv, '--json')).json()[0];

const UPDATE = {
  update: 1,
  version: 1,
  state: 'done',
  reason: null,
  parent: 0,
  parentCheckpoint: null,
  checkpoint: CHECKPOINT,
  stepKey: STEP_KEY,
  samples: 4,
  rewardMean: 0.25,
  metrics: METRICS,
  adjustments: {},
  fired: [{ gate: { metric: 'entropy', below: 2, then: 'tell' }, value: 1.25, words: 'entropy fell to 1.25' }],
  skipped: [{ id: 'toy/3', reason: 'no feedback' }],
  seconds: { load: 1, forward: 2.5, backward: 3 },
  versions: { torch: '2.9', threads: 1 },
  dueAt: expect.any(String) as string,
  begunAt: '2026-11-01T12:00:00.000Z',
  endedAt: '2026-11-01T12:00:10.000Z',
  held: false,
  removedAt: null,
};

describe('policy list', () => {
  it('has every update with its version, and marks the version in force', async () => {
    const { code, stdout } = await policy('list', 'toy');
    expect(code).toBe(0);
    const [head, base, first, second] = stdout.split('\n');
    expect(head).toMatch(/^version +update +state +samples +reward +entropy +klShare +gradNorm +time +gates$/);
    expect(base).toMatch(/^0 +–/);
    expect(first).toMatch(/^1 +1 +done +4 +0\.2500 +1\.250 +0\.1000 +2\.000 +6\.5 s +entropy \(tell\) +in force$/);
    expect(second).toMatch(/^– +2 +due +4 +0\.6333 +– +– +– +– +–$/);
  });

  it('is exactly its contract in JSON', async () => {
    const second = { ...UPDATE, update: 2, version: null, state: 'due', parent: null, checkpoint: null, stepKey: null };
    const empty = { metrics: {}, fired: [], skipped: [], seconds: {}, versions: {} };
    expect(await json('list', 'toy')).toEqual({
      workflowId: 'toy',
      version: 1,
      checkpoint: CHECKPOINT,
      pinned: false,
      halted: null,
      update: { k: 2, dueAt: '2026-11-01T12:01:00.000Z', begunAt: null },
      batch: null,
      evaluationSamples: null,
      evaluations: [],
      rewards: [{ k: 1, mean: 0.25, samples: 4 }, expect.objectContaining({ k: 2, samples: 4 })],
      descent: { model: null, ancestors: [], heirs: [] },
      updates: [UPDATE, { ...second, ...empty, rewardMean: expect.closeTo(1.9 / 3, 10), begunAt: null, endedAt: null }],
    });
  });

  it('shows the line of descent across researches', async () => {
    await insertLearning(story.db, 'root');
    const base = 'root@1';
    const search = { ...TASK.search, proposer: { name: 'policy', base } };
    const settings = { search, abort: TASK.abort, keep: TASK.keep } as never;
    const descent = [{ research: 'root', version: 1, checkpoint: CHECKPOINT }];
    for (const researchId of ['heir', 'eval/heir']) {
      await insertResearch(story.db, researchId, { proposer: 'policy', settings });
      await story.db.insert(policyBases).values({ researchId, base, model: 'tiny', checkpoint: CHECKPOINT, descent });
    }
    expect((await policy('list', 'root')).stdout).toContain(
      '\nresearches that began with version 1: heir, eval/heir\n',
    );
    expect((await policy('list', 'heir')).stdout).toContain(
      `\nversion 0 is tiny → root@1 (${CHECKPOINT.slice(0, 12)})\n`,
    );
    expect(await json('list', 'heir')).toMatchObject({ descent: { model: 'tiny', ancestors: descent, heirs: [] } });
  });

  it('has the held-out values of its versions, as policy show has those of one', async () => {
    await insertLearning(story.db, 'evaluated');
    const want = { researchId: 'evaluated', kind: 'evaluation' as const, candidateId: BASELINE, ofTrial: null };
    await story.db.insert(wantedRuns).values([21, 22].map((n) => ({ ...want, n, proposal: { version: 1 } })));
    const ended = { kind: 'evaluation' as const, status: 'completed' as const, candidateId: BASELINE };
    await storeTrials(
      story.db,
      [21, 22].map((n) => trialRow('evaluated', n, { ...ended, value: n / 10 })),
    );
    const text = '2.150 [1.515, 2.785] over 2 scored runs, 100 % of 2 answers readable (search.update.eval)\n';
    expect((await policy('list', 'evaluated')).stdout).toContain(`\nheld-out value of version 1: ${text}`);
    expect((await policy('show', 'evaluated', '1')).stdout).toMatch(/\n {2}held-out +2\.150 \[/);
    const found = { version: 1, source: 'within', ended: 2, value: { n: 2 } };
    expect(await json('list', 'evaluated')).toMatchObject({
      evaluationSamples: { ended: 2, of: 2 },
      evaluations: [found],
    });
    expect(await json('show', 'evaluated', '1')).toMatchObject({ evaluations: [found] });
    expect(await json('show', 'evaluated', '0')).toMatchObject({ version: 0, evaluations: [] });
  });

  it('marks a version whose weights were removed, which cannot be pinned, and one that a person holds', async () => {
    await insertLearning(story.db, 'gone', { inForce: 0 });
    const first = and(eq(updates.researchId, 'gone'), eq(updates.k, 1));
    await story.db.update(updates).set({ held: true }).where(first);
    expect((await policy('list', 'gone')).stdout).toMatch(/\n1 +1 +done .* kept\n/);
    await story.db.update(updates).set({ held: false, removedAt: new Date() }).where(first);
    expect((await policy('list', 'gone')).stdout).toMatch(/\n1 +1 +done .* removed\n/);
    expect(await json('list', 'gone')).toMatchObject({ updates: [{ removedAt: expect.any(String) as string }, {}] });
    expect((await policy('show', 'gone', '1')).stdout).toContain(`${STEP_KEY}, removed\n`);
    for (const how of ['pin', 'rollback']) {
      const { code, stderr } = await policy(how, 'gone', '1');
      expect(code).toBe(2);
      expect(stderr).toContain('Expected a version of the policy of gone that still has its weights');
    }
    // A comparison needs no weights: numbers and rewards are in Postgres.
    expect((await policy('compare', 'gone', '0', '1')).code).toBe(0);
  });

  it('says why learning is halted, and how to go on', async () => {
    await insertLearning(story.db, 'halted', { halted: 'entropy fell to 0.001' });
    const { stdout } = await policy('list', 'halted');
    expect(stdout).toMatch(/ in force, halted\n/);
    const go = 'To continue from version 1: npx perpetua policy rollback halted 1';
    expect(stdout).toContain(`learning is halted: entropy fell to 0.001. ${go}`);
    expect((await runOn(story.url, ['status', 'halted'])).stdout).toContain(go);
  });

  it('refuses a research that samples no policy', async () => {
    const { code, stderr } = await policy('list', 'plain');
    expect(code).toBe(2);
    expect(stderr).toContain('plain has random');
  });
});

describe('policy show', () => {
  it('has the origin of a version, its trials and its gates', async () => {
    const { code, stdout } = await policy('show', 'toy', '1');
    expect(code).toBe(0);
    expect(stdout).toContain('toy · version 1 · in force\n');
    expect(stdout).toMatch(/parent +the base model\n/);
    expect(stdout).toMatch(new RegExp(`checkpoint +${CHECKPOINT}\\n`));
    expect(stdout).toMatch(/learnt from +4 samples, mean reward 0\.2500, 100 % completed: #2–#5\n/);
    expect(stdout).toMatch(/proposed +6 samples, mean reward 0\.6500, 80 % completed: #6–#11\n/);
    expect(stdout).toMatch(/left out +toy\/3: no feedback\n/);
    expect(stdout).toMatch(/gate +tell: entropy fell to 1\.25\n/);
    expect(stdout).toMatch(/computed by +torch 2\.9, threads 1\n/);
  });

  it('has the trials in JSON, also those of the base model', async () => {
    const shown = await json('show', 'toy', '1');
    expect(shown).toMatchObject({ workflowId: 'toy', version: 1, inForce: true, made: UPDATE });
    const { learntFrom, proposed } = shown as Record<'learntFrom' | 'proposed', { n: number }[]>;
    expect(learntFrom[0]).toEqual({
      trialId: 'toy/2',
      n: 2,
      group: 1,
      policyVersion: 0,
      status: 'completed',
      value: null,
      reward: 0.1,
      verdict: null,
    });
    expect(proposed.map(({ n }) => n)).toEqual([6, 7, 8, 9, 10, 11]);
    expect(await json('show', 'toy', '0')).toMatchObject({ version: 0, inForce: false, made: null, learntFrom: [] });
  });

  it.each([
    ['9', 'got 9'],
    ['x', 'got "x"'],
  ])('refuses %s', async (version, words) => {
    const { code, stderr } = await policy('show', 'toy', version);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('policy compare', () => {
  it('has the rewards of the samples of both versions, with the difference and its error', async () => {
    const { code, stdout } = await policy('compare', 'toy', '0', '1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/samples +4 +6\n/);
    expect(stdout).toMatch(/with a reward +4 +4\n/);
    expect(stdout).toMatch(/entropy +– +1\.250\n/);
    expect(stdout).toContain('mean reward of version 1 minus that of the base model: +0.4000, ± 0.1155');
    expect(await json('compare', 'toy', '0', '1')).toMatchObject({
      a: { version: 0, metrics: {}, rewards: { drawn: 4, ended: 4, n: 4, mean: 0.25, completed: 1 } },
      b: { version: 1, metrics: METRICS, rewards: { drawn: 6, ended: 5, n: 4, completed: 0.8 } },
      difference: { value: expect.closeTo(0.4, 10), standardError: expect.closeTo(0.1155, 4) },
    });
  });

  it('has no difference if one version has drawn no sample', async () => {
    await insertLearning(story.db, 'young');
    await story.db.update(updates).set({ state: 'done', checkpoint: 'c', stepKey: 's' }).where(eq(updates.k, 2));
    expect(await json('compare', 'young', '1', '2')).toMatchObject({ difference: null });
    await story.db.update(updates).set({ state: 'due', checkpoint: null, stepKey: null }).where(eq(updates.k, 2));
  });
});

describe('policy pin and rollback', () => {
  it('report the new version in force, and when it takes effect', async () => {
    await insertLearning(story.db, 'steered', { halted: 'entropy fell' });
    const back = await policy('rollback', 'steered', '0', '--because', 'it repeats itself');
    expect(back).toMatchObject({ code: 0, stderr: '' });
    expect(back.stdout).toBe(
      'steered: the base model is in force\n' +
        'it takes effect with the next group of samples; a research that waits reads it within a minute\n',
    );
    expect(await json('pin', 'steered', '1')).toEqual({
      workflowId: 'steered',
      from: 0,
      version: 1,
      pinned: true,
      halted: null,
      changed: true,
    });
    const refused = await policy('rollback', 'steered', '0');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('pinned to version 1');
    expect(await json('rollback', 'steered', '0')).toMatchObject({ error: { code: 'refused' } });
    expect((await policy('pin', 'steered', '--off')).code).toBe(0);
    expect((await policy('pin', 'steered', '--off')).stdout).toBe('steered: version 1 is in force, as before\n');
    const [row] = await story.db.select().from(policies).where(eq(policies.researchId, 'steered'));
    expect(row).toMatchObject({ inForce: 1, pinned: false, halted: null });
    // An open transaction of another test may hold events back for a moment.
    const events = async () => (await runOn(story.url, ['events', 'steered'])).stdout;
    await expect.poll(events).toContain('version of the policy in force: 1 → 0 (rolled back: it repeats itself)');
  });

  it.each([
    [['pin', 'toy'], 'got neither'],
    [['pin', 'toy', '1', '--off'], 'got both'],
    [['pin', 'toy', '2'], 'got 2'],
    [['compare', 'toy', '1'], 'Expected two versions to compare, got 1'],
    [['rollback', 'toy', '-1'], ''],
  ])('%j is refused', async (argv, words) => {
    const { code, stderr } = await policy(...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('a trial of a policy', () => {
  it('names the version that drew it and the update that learnt from it, with its reward', async () => {
    const shown = async (n: number) => (await runOn(story.url, ['show', `toy/${n}`])).stdout;
    expect(await shown(2)).toMatch(/policy +sample 1, of group 1, drawn from the base model\n/);
    expect(await shown(2)).toMatch(/learnt by +update 1, which made version 1, by a reward of 0\.1000\n/);
    expect(await shown(3)).toMatch(/learnt by +none: update 1 left it out: no feedback\n/);
    expect(await shown(6)).toContain(`drawn from version 1 (${CHECKPOINT.slice(0, 12)})`);
    expect(await shown(6)).toMatch(/learnt by +none yet: update 2 is due\n/);
    expect(await shown(1)).not.toMatch(/policy|learnt/);
    const [trial] = (await runOn(story.url, ['show', 'toy/2', '--json'])).json();
    expect(trial).toMatchObject({ policyVersion: 0, update: 1, sample: { group: 1, seq: 1, checkpoint: 'base' } });
  });
});

describe('status of a research that learns', () => {
  it('shows the version in force, the update that is due and the rewards of the last batches', async () => {
    const { stdout } = await runOn(story.url, ['status', 'toy']);
    expect(stdout).toMatch(/policy +version 1 in force \([0-9a-f]{12}\) · update 2 is due · /);
    expect(stdout).toMatch(/update 2 is due · mean reward 0\.25, 0\.633 in the last 2 batches\n/);
    const [status] = (await runOn(story.url, ['status', 'toy', '--json'])).json();
    expect(status).toMatchObject({ learning: { version: 1, pinned: false, update: { k: 2 } } });
  });
});
