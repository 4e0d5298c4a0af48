import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PolicyError } from '../../../infra/policy.ts';
import { endsWithin, signalProcess } from '../../../infra/process/stop.ts';
import { batchOf, checkpointOf, keyOf, rolloutOf, samplesOf, type Asking } from '../../support/policy/batch-of.ts';
import type { StepRollout } from '../../../domain/learning/step.ts';
import type { PolicyHome } from '../../support/policy/fake.ts';
import { describeSampling, type Subject } from './sampling.ts';

/** Declares the tests that every policy server must pass. */
export function describePolicy(name: string, subject: Subject): void {
  const { open, base, content, maxTokens } = subject;
  describeSampling(name, subject);
  describe(name, () => {
    let home: PolicyHome;
    const { signal } = new AbortController();
    const asking: Asking = { base, content, maxTokens, signal };
    beforeAll(async () => {
      home = await open();
    });
    afterAll(() => home.close());

    const refusalOf = async (work: Promise<unknown>): Promise<PolicyError> => {
      const error = await work.catch((one: unknown) => one);
      expect(error).toBeInstanceOf(PolicyError);
      return error as PolicyError;
    };
    /** Makes a batch of four samples of the base, with different rewards. */
    const firstBatch = async (key: string) => {
      const samples = await samplesOf(home.policy, asking, { count: 4 });
      const facts = await home.policy.facts(base, signal);
      const rollouts = samples.map((sample, index) => rolloutOf(sample, index, index));
      return { facts, batch: batchOf(facts, rollouts, { stepKey: keyOf(key) }) };
    };

    test('reports the hashes that a batch states', async () => {
      const facts = await home.policy.facts(base, signal);
      expect(facts.base.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(await home.policy.facts(base, signal)).toEqual(facts);
    });

    test('makes a checkpoint of a batch, samples it, and goes on from it', async () => {
      const { facts, batch } = await firstBatch('a step');
      const result = await home.policy.step(batch, { base }, signal);
      expect(result).toMatchObject({ stepKey: batch.stepKey, skipped: [] });
      expect(result.metrics).toMatchObject({ rewardMean: 1.5, groups: 1, rollouts: 4, deadGroups: 0 });
      for (const metric of ['entropy', 'gradNorm', 'clipShare', 'rewardStd', 'samplerDiffMax', 'isWeightMean'])
        expect(result.metrics[metric]).toBeTypeOf('number');
      expect(result.metrics.samplerDiffMax).toBeLessThan(1e-4);
      const version = checkpointOf(home.policy, result);
      expect(existsSync(join(version.path, 'result.json'))).toBe(true);
      const samples = await samplesOf(home.policy, asking, { count: 4, version });
      expect(samples.map(({ policyVersion }) => policyVersion)).toEqual(Array(4).fill(result.checkpoint));
      const rollouts = samples.map((sample, index) => rolloutOf(sample, index, -index));
      const next = batchOf(facts, rollouts, { stepKey: keyOf('its child'), parent: version });
      const child = await home.policy.step(next, { base }, signal);
      // The weights that sampled are the weights that learn.
      expect(child.metrics.samplerDiffMax).toBeLessThan(1e-4);
      expect(child.checkpoint).not.toBe(result.checkpoint);
    });

    test('measures KL from the checkpoint with which a research began', async () => {
      const { facts, batch } = await firstBatch('of another research');
      const version = checkpointOf(home.policy, await home.policy.step(batch, { base }, signal));
      const samples = await samplesOf(home.policy, asking, { count: 4, version });
      const rollouts = samples.map((sample, index) => rolloutOf(sample, index, index));
      const algorithm = { ...batch.algorithm, klCoefficient: 0.1 };
      const klOf = async (key: string, more: Partial<typeof batch>) => {
        const next = batchOf(facts, rollouts, { stepKey: keyOf(key), algorithm, ...more });
        return (await home.policy.step(next, { base }, signal)).metrics['kl'];
      };
      expect(await klOf('from the base', { parent: version })).toBeGreaterThan(1e-6);
      expect(await klOf('from the checkpoint', { parent: version, reference: version })).toBeCloseTo(0, 9);
      const error = await refusalOf(klOf('without a parent', { reference: version }));
      expect(error.message).toContain('(settings): parent: ');
    });

    test('answers a done key from disk, and joins one at work', async () => {
      const { batch } = await firstBatch('once');
      const [one, other] = await Promise.all([
        home.policy.step(batch, { base }, signal),
        home.policy.step(batch, { base }, signal),
      ]);
      expect(other).toEqual(one);
      expect(await home.policy.step(batch, { base }, signal)).toEqual(one);
    });

    test('refuses a done key to another batch', async () => {
      const { batch } = await firstBatch('taken');
      await home.policy.step(batch, { base }, signal);
      const error = await refusalOf(home.policy.step({ ...batch, seed: 6 }, { base }, signal));
      expect(error).toMatchObject({ kind: 'refused', message: expect.stringContaining('(other-batch): stepKey: ') });
    });

    test.each([
      ['NaN as a number', { reward: NaN }, 'type', 'rollouts[0].reward'],
      ['an unknown key', { weight: 1 }, 'unknown-key', 'rollouts[0].weight'],
      ['another temperature', { temperature: 0.7 }, 'off-policy', 'rollouts[0].temperature'],
      ['a mask of another length', { lossMask: Array(50).fill(1) }, 'length', 'rollouts[0].lossMask'],
      ['an entropy mask of another length', { entropyMask: Array(50).fill(1) }, 'length', 'rollouts[0].entropyMask'],
    ])('refuses a batch with %s, with its path', async (_, poison, code, path) => {
      const { batch } = await firstBatch('poisoned');
      const [first, ...others] = batch.rollouts;
      const poisoned = { ...batch, rollouts: [{ ...first!, ...poison }, ...others] } as typeof batch;
      const error = await refusalOf(home.policy.step(poisoned, { base }, signal));
      expect(error).toMatchObject({ kind: 'refused', message: expect.stringContaining(`(${code}): ${path}: `) });
    });

    test('counts the entropy of the tokens that the entropy mask names', async () => {
      const { batch } = await firstBatch('entropy');
      const entropyOf = async (name: string, maskOf: (rollout: StepRollout) => (0 | 1)[]): Promise<number> => {
        const rollouts = batch.rollouts.map((one) => ({ ...one, entropyMask: maskOf(one) }));
        const step = { ...batch, stepKey: keyOf(name), rollouts };
        return (await home.policy.step(step, { base }, signal)).metrics['entropy'] ?? NaN;
      };
      const all = await entropyOf('of all tokens', ({ lossMask }) => [...lossMask]);
      const result = await home.policy.step(batch, { base }, signal);
      expect(result.metrics['entropy']).toBeCloseTo(all, 6);
      const first = await entropyOf('of first tokens', ({ lossMask }) =>
        lossMask.map((_, index) => (index < 1 ? 1 : 0)),
      );
      expect(first).not.toBeCloseTo(all, 3);
      const stray = batch.rollouts.map((one) => ({ ...one, lossMask: one.lossMask.map(() => 0 as const) }));
      const refused = stray.map((one, index) =>
        index === 0 ? { ...one, entropyMask: one.lossMask.map(() => 1 as const) } : one,
      );
      const error = await refusalOf(
        home.policy.step({ ...batch, stepKey: keyOf('stray'), rollouts: refused }, { base }, signal),
      );
      expect(error.message).toContain('(mask): rollouts[0].entropyMask[0]: ');
    });

    test('refuses a checkpoint whose hash is another', async () => {
      const { batch } = await firstBatch('forged');
      const result = await home.policy.step(batch, { base }, signal);
      const version = { ...checkpointOf(home.policy, result), sha256: keyOf('another') };
      expect(await refusalOf(samplesOf(home.policy, asking, { count: 1, version }))).toMatchObject({ kind: 'down' });
      const rollouts = batch.rollouts.map((one) => ({ ...one, policyVersion: version.sha256 }));
      const child = { ...batch, stepKey: keyOf('of a forged one'), parent: version, rollouts };
      const error = await refusalOf(home.policy.step(child, { base }, signal));
      expect(error.message).toContain('(wrong-parent)');
    });

    test('is started again after its death, and knows the published checkpoints', async () => {
      const { batch } = await firstBatch('before a death');
      const result = await home.policy.step(batch, { base }, signal);
      const server = await home.serverOf(base);
      if (server === undefined) throw new Error('expected a server, found none');
      signalProcess(server, 'SIGKILL');
      await endsWithin(server, 60_000);
      expect(await home.policy.step(batch, { base }, signal)).toEqual(result);
      const version = checkpointOf(home.policy, result);
      const [sample] = await samplesOf(home.policy, asking, { count: 1, version });
      expect(sample?.policyVersion).toBe(result.checkpoint);
    });
  });
}
