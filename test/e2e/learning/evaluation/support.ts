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
