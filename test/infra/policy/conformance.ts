import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PolicyError } from '../../../infra/policy.ts';
import { endsWithin, signalProcess } from '../../../infra/process/stop.ts';
import {
  batchOf,
  chatOf,
  checkpointOf,
  keyOf,
  rolloutOf,
  samplesOf,
  type Asking,
} from '../../support/policy/batch-of.ts';
import type { PolicyHome } from '../../support/policy/fake.ts';

export interface Subject {
  open: () => Promise<PolicyHome>;
  base: string;
  /** A question in words that the model's tokenizer knows. */
  content: string;
  maxTokens: number;
}

/** What holds of each policy server that speaks the contract. */
export function describePolicy(name: string, { open, base, content, maxTokens }: Subject): void {
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
    /** The batch of four samples of the base, whose rewards differ. */
    const firstBatch = async (key: string) => {
      const samples = await samplesOf(home.policy, asking, { count: 4 });
      const facts = await home.policy.facts(base, signal);
      const rollouts = samples.map((sample, index) => rolloutOf(sample, index, index));
      return { facts, batch: batchOf(facts, rollouts, { stepKey: keyOf(key) }) };
    };

    test('tells the hashes that a batch states', async () => {
      const facts = await home.policy.facts(base, signal);
      expect(facts.base.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(await home.policy.facts(base, signal)).toEqual(facts);
    });

    test('samples the base with its tokens, their log-probabilities and the prompt as it is tokenised', async () => {
      const [sample] = await samplesOf(home.policy, asking, { count: 1 });
      expect(sample).toMatchObject({ policyVersion: 'base' });
      expect(sample?.completionIds.length).toBeGreaterThan(0);
      expect(sample?.logprobs).toHaveLength(sample?.completionIds.length ?? -1);
      expect(Math.max(...(sample?.logprobs ?? [1]))).toBeLessThanOrEqual(1e-4);
      expect(await home.policy.tokenize(base, chatOf(content), signal)).toEqual(sample?.promptIds);
    });

    test('goes on with plain text, whose tokens are those of the prompt', async () => {
      const prompt = { form: 'text', text: `${content} lr =`, start: 'lr =' } as const;
      const drawn = await home.policy.sample(
        { base, version: null, prompt, maxTokens, seed: 1, deadlineSeconds: 120 },
        signal,
      );
      expect(drawn.text.length).toBeGreaterThan(0);
      expect(drawn.logprobs).toHaveLength(drawn.completionIds.length);
      expect(await home.policy.tokenize(base, prompt, signal)).toEqual(drawn.promptIds);
    });

    test('gives a seed the same sample alone and among others', async () => {
      const together = await samplesOf(home.policy, asking, { count: 6 });
      const [alone] = await samplesOf(home.policy, asking, { count: 1, from: 3 });
      expect(alone?.completionIds).toEqual(together[3]?.completionIds);
      expect(new Set(together.map(({ completionIds }) => completionIds.join())).size).toBeGreaterThan(1);
    });

    test('refuses more tokens than the model holds', async () => {
      const error = await refusalOf(samplesOf(home.policy, { ...asking, maxTokens: 1_000_000 }, { count: 1 }));
      expect(error).toMatchObject({ kind: 'refused', message: expect.stringMatching(/at most \d+ with the prompt/) });
    });

    test('makes a checkpoint of a batch, samples it, and goes on from it', async () => {
      const { facts, batch } = await firstBatch('a step');
      const result = await home.policy.step(batch, { base }, signal);
      expect(result).toMatchObject({ stepKey: batch.stepKey, step: 1, skipped: [] });
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
      expect(await home.policy.step(next, { base }, signal)).toMatchObject({ step: 2 });
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
      expect(error).toMatchObject({ kind: 'refused', refusal: { code: 'other-batch', path: 'stepKey' } });
    });

    test.each([
      ['a number that is none', { reward: NaN }, 'type', 'rollouts[0].reward'],
      ['a key that nobody knows', { weight: 1 }, 'unknown-key', 'rollouts[0].weight'],
      ['another temperature', { temperature: 0.7 }, 'off-policy', 'rollouts[0].temperature'],
      ['a mask of another length', { lossMask: Array(50).fill(1) }, 'length', 'rollouts[0].lossMask'],
    ])('refuses a batch with %s, with its path', async (_, poison, code, path) => {
      const { batch } = await firstBatch('poisoned');
      const [first, ...others] = batch.rollouts;
      const poisoned = { ...batch, rollouts: [{ ...first!, ...poison }, ...others] } as typeof batch;
      const error = await refusalOf(home.policy.step(poisoned, { base }, signal));
      expect(error).toMatchObject({ kind: 'refused', refusal: { code, path } });
      expect(error.message).toContain(path);
    });

    test('refuses a checkpoint whose hash is another', async () => {
      const { batch } = await firstBatch('forged');
      const result = await home.policy.step(batch, { base }, signal);
      const version = { ...checkpointOf(home.policy, result), sha256: keyOf('another') };
      expect(await refusalOf(samplesOf(home.policy, asking, { count: 1, version }))).toMatchObject({ kind: 'down' });
      const rollouts = batch.rollouts.map((one) => ({ ...one, policyVersion: version.sha256 }));
      const child = { ...batch, stepKey: keyOf('of a forged one'), parent: version, rollouts };
      const error = await refusalOf(home.policy.step(child, { base }, signal));
      expect(error.refusal?.code).toBe('wrong-parent');
    });

    test('is started again after its death, and knows what was published', async () => {
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
