import { expect } from 'vitest';
import type { KillPoint } from '../../../../activities/deps.ts';
import type { Io } from '../../../../cli/io.ts';
import type { evaluationJson } from '../../../../cli/render/policy/evaluation.ts';
import { type Ran, run } from '../../../cli/support/cli.ts';
import type { TestStack, TestWorker } from '../../../support/stack.ts';

/** Runs `perpetua policy eval` against a stack. */
export const evaluate = (
  { temporalAddress, databaseUrl, home }: TestStack,
  argv: string[],
  more: Partial<Io> = {},
): Promise<Ran> =>
  run(['policy', 'eval', ...argv], {
    env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home },
    ...more,
  });

export const evaluationOf = ({ json }: Ran) => json()[0] as ReturnType<typeof evaluationJson>;

/** Samples of an evaluation with the number of their runs. */
export const readSamples = (stack: TestStack, id: string) =>
  stack.query<{ n: number; status: string; candidate_id: string | null; runs: number; version: string | null }>(
    `select t.n, t.status, t.candidate_id,
       (select count(*)::int from runs where runs.trial_id = t.id and runs."end" is not null) as runs,
       (select policy_version from rollouts where rollouts.trial_id = t.id) as version
     from trials t where t.research_id = $1 and t.kind = 'search' order by t.n`,
    [id],
  );

/** Evaluates a version with the only worker dying once. Expects each sample to be drawn, run and counted once. */
export async function expectEvaluatedOnce(
  stack: TestStack,
  worker: TestWorker,
  {
    policy,
    version,
    killAt,
    restart,
  }: { policy: string; version: number; killAt: KillPoint; restart: () => Promise<void> },
): Promise<void> {
  worker.dieAt(killAt);
  const argv = [policy, String(version), '--samples', '8', '--seed', `dies-${killAt}`, '--json'];
  const evaluating = evaluate(stack, argv);
  await worker.gone;
  await restart();
  const found = await evaluating;
  expect(found.code).toBe(0);
  const result = evaluationOf(found);
  expect(result).toMatchObject({ ended: 8, lost: 0, readable: { n: 8 }, baseline: { n: 1 } });
  const samples = await readSamples(stack, result.workflowId);
  expect(samples.filter(({ status }) => status === 'lost' || status === 'cached')).toEqual([]);
  expect(samples.map(({ runs }) => runs)).toEqual(samples.map(({ status }) => (status === 'rejected' ? 0 : 1)));
  expect(new Set(samples.map((row) => row.version))).toEqual(new Set([result.policy.checkpoint]));
  expect(result.reward?.n).toBe(8);
}

interface HeldOut {
  version: number;
  drawn: number;
  status: string;
  runs: number;
  reward: number | null;
  verdict: string;
  rollouts: number;
}

/** Expects each sample of the held-out evaluations of a research once: drawn, run, and used for nothing else. */
export async function expectHeldOut(
  stack: TestStack,
  id: string,
  { versions, samples }: { versions: readonly number[]; samples: number },
): Promise<void> {
  const rows = await stack.query<HeldOut>(
    `select (w.proposal->>'version')::int as version, (c.request->>'version')::int as drawn, t.status, t.reward,
       t.verdict, (select count(*)::int from runs where runs.trial_id = t.id and runs."end" is not null) as runs,
       (select count(*)::int from rollouts r where r.trial_id = t.id) as rollouts
     from wanted_runs w left join trials t on t.research_id = w.research_id and t.n = w.n
       left join calls c on c.trial_id = t.id
     where w.research_id = $1 and w.kind = 'evaluation' order by t.n`,
    [id],
  );
  const expected = versions.flatMap((version) => Array.from({ length: samples }, () => version));
  expect(rows.map(({ version }) => version)).toEqual(expected);
  for (const { version, drawn, status, runs, reward, verdict, rollouts } of rows) {
    expect(['completed', 'rejected']).toContain(status);
    expect([drawn, reward, verdict, rollouts]).toEqual([version, null, 'none', 0]);
    expect(runs).toBe(status === 'completed' ? 1 : 0);
  }
  const [counted] = await stack.query<{ evaluations: number; seen: number; ran: number }>(
    `select (admitted->>'evaluation')::int as evaluations,
       (select sum(runs)::int from observations where research_id = $1) as seen,
       (select count(*)::int from trials where research_id = $1 and kind <> 'evaluation' and candidate_id is not null
          and status = 'completed') as ran
     from researches where id = $1`,
    [id],
  );
  expect(counted?.evaluations).toBe(versions.length * samples);
  expect(counted?.seen).toBe(counted?.ran);
}
