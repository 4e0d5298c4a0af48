import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { claims, observations, taskVersions, wantedRuns } from '../../../../../db/schema.ts';
import { Knob } from '../../../../../domain/knob/knob.ts';
import { useDatabase } from '../../../../db/support.ts';
import { reopenCommand } from '../../../../../cli/ablate/request-ablation.ts';
import { readResearch } from '../../../../../db/reads/read-research.ts';
import { runOn } from '../../../support/cli.ts';
import { hashOf, insertResearch, TASK } from '../../../support/lineage.ts';

const bench = useDatabase();
const KNOBS = [
  { file: 'train.mjs', name: 'LR', type: 'float', range: [0, 1] },
  { file: 'train.mjs', name: 'IDLE', type: 'choice', values: ['a', 'b'] },
].map((knob) => Knob.parse(knob));

const row = (n: number, taskHash = 'task-1') => ({
  researchId: 'toy',
  taskHash,
  candidateId: hashOf(`candidate ${n}`),
  knobs: { 'train.mjs:LR': n / 40, 'train.mjs:IDLE': n % 2 === 0 ? 'a' : 'b' },
  seq: n,
  value: Math.abs(n - 20),
  runs: 1,
  outcome: 'completed' as const,
});

test('explain shows which knob mattered, and counts the candidates that it leaves out', async () => {
  await insertResearch(bench.db, 'toy', {});
  await bench.db
    .update(taskVersions)
    .set({ task: { ...TASK, knobs: KNOBS } })
    .where(eq(taskVersions.hash, 'task-1'));
  await bench.db.insert(observations).values(Array.from({ length: 10 }, (_, index) => row(index + 1)));
  const few = await runOn(bench.url, ['explain', 'toy']);
  expect(few.stdout).toMatch(/LR +too few trials/);
  expect(few.stdout).toContain('too few trials: importances need 20 candidates with a score');

  const failed = (n: number, outcome: 'crashed' | 'aborted') => ({ ...row(n), value: null, runs: 0, outcome });
  await bench.db
    .insert(observations)
    .values([
      ...Array.from({ length: 30 }, (_, index) => row(index + 11)),
      failed(41, 'crashed'),
      failed(42, 'crashed'),
      failed(43, 'aborted'),
      row(1, 'older task'),
    ]);
  const { stdout } = await runOn(bench.url, ['explain', 'toy']);
  expect(stdout).toMatch(/^importance of knobs for loss \(PED-ANOVA\), with 95 % intervals\nknob +importance/);
  expect(stdout).toMatch(/\nLR +\d+ % \[\d+, \d+\] +< 1 % +0\.45 to 0\.55 +40 +train\.mjs\nIDLE /);
  expect(stdout).toContain('40 of 43 candidates have a score; the top are the best 5');
  expect(stdout).toMatch(/left out, without a score: (2 crashed, 1 aborted|1 aborted, 2 crashed)\n/);
  expect(stdout).toContain('left out, of older versions of the task: 1');

  const [json] = (await runOn(bench.url, ['explain', 'toy', '--json'])).json();
  expect(json).toMatchObject({
    workflowId: 'toy',
    top: 5,
    candidates: { total: 43, scored: 40, used: 40, withoutScore: { crashed: 2, aborted: 1 }, ofOlderTasks: 1 },
    knobs: [{ key: 'train.mjs:LR', without: null }, { name: 'IDLE' }],
    lines: expect.arrayContaining([{ value: 0, positions: [0.5, 0], texts: ['0.5', 'a'], isTop: true }]) as unknown,
  });
});

test('explain --ablate prints the cost of an ablation, asks, and shows its results', async () => {
  await insertResearch(bench.db, 'won', {});
  const files = (lr: number, steps: number) => ({ 'train.mjs': `LR = ${lr}\nrun()\nSTEPS = ${steps}\n` });
  const save = (id: string, content: Record<string, string>) =>
    bench.store.trial.saveCandidate({ id, immutableHash: 'i', files: content });
  await save('won-original', files(1, 1));
  await save('won-claim', files(2, 2));
  await bench.store.research.updateResearch('won', { baselineCandidate: 'won-original' });
  const explain = (...more: string[]) => runOn(bench.url, ['explain', 'won', ...more]);
  expect(await explain('--ablate')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no claim yet') as unknown,
  });
  await bench.db
    .insert(claims)
    .values({ researchId: 'won', seq: 1, candidateId: 'won-claim', value: 1, n: 6, reason: '' });
  const asked = await explain('--ablate', '1', '--budget-trials', '7');
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain(
    'Claim 1 has 2 edits:\n  train.mjs: line 1\n  train.mjs: line 3\n' +
      'The ablation runs the claim, and the claim without each edit, ' +
      '2 times each: 6 trials, an unknown time on slots.\n',
  );
  expect(asked.stderr).toContain('Not a terminal. Pass --yes to confirm.');
  for (const bad of [['--yes'], ['--ablate', 'x'], ['--ablate', '--budget-trials', '5'], ['--ablate', '2']])
    expect(await explain(...bad)).toMatchObject({ code: 2 });
  for (const [option, most, ...bad] of [
    ['--ablate', 2 ** 31 - 1, '--ablate', '0'],
    ['--budget-trials', 1020, '--ablate', '--budget-trials', '1021'],
    ['--budget-trials', 1020, '--ablate', '--budget-trials', '2.5'],
  ] as const)
    expect((await explain(...bad)).stderr).toContain(
      `Expected ${option} to be a whole number from 1 to ${most}, got "${bad.at(-1)}".`,
    );

  const proposal = { key: 'k', claim: 1 };
  const want = { researchId: 'won', kind: 'ablation' as const, candidateId: 'won-claim', ofTrial: 4 };
  await bench.db.insert(wantedRuns).values([
    { ...want, proposal: { ...proposal, edit: null } },
    { ...want, candidateId: 'won-original', proposal: { ...proposal, edit: 'train.mjs: line 1' } },
  ]);
  const { stdout } = await explain();
  expect(stdout).toContain('claim 1 of trial 4 without each of its edits, with 95 % intervals\n');
  expect(stdout).toMatch(
    /train\.mjs: line 1 \(without it: the unmodified version\) +– +– +too few trials\n2 runs still to/,
  );
});

test('an ablation of an ended research names the command that starts it again and lets it wait', async () => {
  const budget = { ...TASK.budget, trials: 10, hours: 4 };
  const commandOf = async (id: string, more: Parameters<typeof insertResearch>[2]): Promise<string> => {
    await insertResearch(bench.db, id, { phase: 'stopped', admitted: { search: 10 }, ...more });
    const research = await readResearch(bench.db, { researchId: id });
    if (research === undefined) throw new Error(`Expected the research ${id}`);
    return reopenCommand(research);
  };
  expect(await commandOf('ended', { budget })).toBe('npx perpetua start toy --id ended --when-spent wait');
  // Spent hours stop all runs, and these trials count ablations.
  expect(await commandOf('exhausted', { budget, activeSeconds: 4 * 3600 })).toBe(
    'npx perpetua start toy --id exhausted --budget-hours 6 --when-spent wait',
  );
  expect(await commandOf('counted', { budget: { ...budget, counts: ['search', 'ablation'] } })).toBe(
    'npx perpetua start toy --id counted --budget-trials 15 --when-spent wait',
  );
});
