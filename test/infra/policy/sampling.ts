import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Policy, PolicyError } from '../../../infra/policy.ts';
import { chatOf, samplesOf, type Asking } from '../../support/policy/batch-of.ts';
import type { PolicyHome } from '../../support/policy/fake.ts';

export interface Subject<Home extends Sampler = PolicyHome> {
  open: () => Promise<Home>;
  base: string;
  /** A question in words that the model's tokenizer knows. */
  content: string;
  maxTokens: number;
}

interface Sampler {
  policy: Policy;
  close: () => Promise<void>;
}

/** Declares the tests that every server that samples must pass, whether it learns or not. */
export function describeSampling(name: string, { open, base, content, maxTokens }: Subject<Sampler>): void {
  describe(name, () => {
    let home: Sampler;
    const { signal } = new AbortController();
    const asking: Asking = { base, content, maxTokens, signal };
    beforeAll(async () => {
      home = await open();
    });
    afterAll(() => home.close());

    test('samples the base with its tokens, their log-probabilities and the prompt as it is tokenised', async () => {
      const [sample] = await samplesOf(home.policy, asking, { count: 1 });
      expect(sample).toMatchObject({ policyVersion: 'base' });
      expect(sample?.completionIds.length).toBeGreaterThan(0);
      expect(sample?.logprobs).toHaveLength(sample?.completionIds.length ?? -1);
      expect(Math.max(...(sample?.logprobs ?? [1]))).toBeLessThanOrEqual(1e-4);
      expect(await home.policy.tokenize(base, chatOf(content), signal)).toEqual(sample?.promptIds);
    });

    test('continues a plain text, whose tokens are those of the prompt', async () => {
      const prompt = { form: 'text', text: `${content} lr =`, start: 'lr =' } as const;
      const drawn = await home.policy.sample(
        { base, version: null, prompt, maxTokens, seed: 1, deadlineSeconds: 120 },
        signal,
      );
      expect(drawn.text.length).toBeGreaterThan(0);
      expect(drawn.logprobs).toHaveLength(drawn.completionIds.length);
      expect(await home.policy.tokenize(base, prompt, signal)).toEqual(drawn.promptIds);
    });

    test('ends a sample at a stop text, which its tokens have and its text has not', async () => {
      const prompt = { form: 'text', text: `${content} lr =`, start: 'lr =' } as const;
      const request = { base, version: null, prompt, maxTokens, seed: 1, deadlineSeconds: 120 };
      const whole = await home.policy.sample(request, signal);
      const stop = Array.from(whole.text.trimEnd()).slice(-1);
      const stopped = await home.policy.sample({ ...request, stop }, signal);
      expect(stopped.finishReason).toBe('stop');
      expect(stopped.text).toBe(whole.text.slice(0, whole.text.indexOf(stop[0]!)));
      const { length } = stopped.completionIds;
      expect(stopped.completionIds).toEqual(whole.completionIds.slice(0, length));
      expect(stopped.logprobs).toHaveLength(length);
      // The token with the stop text begins at the end of the text or before it.
      if (stopped.offsets === null) return;
      expect(stopped.offsets).toHaveLength(length);
      expect(stopped.offsets.toSorted((a, b) => a - b)).toEqual(stopped.offsets);
      expect(stopped.offsets.at(-1)).toBeLessThanOrEqual(stopped.text.length);
    });

    test('gives a seed the same sample alone and among others', async () => {
      const together = await samplesOf(home.policy, asking, { count: 6 });
      const [alone] = await samplesOf(home.policy, asking, { count: 1, from: 3 });
      expect(alone?.completionIds).toEqual(together[3]?.completionIds);
      expect(new Set(together.map(({ completionIds }) => completionIds.join())).size).toBeGreaterThan(1);
    });

    test('refuses more tokens than the model holds', async () => {
      const error = await samplesOf(home.policy, { ...asking, maxTokens: 1_000_000 }, { count: 1 }).catch(
        (one: unknown) => one,
      );
      expect(error).toBeInstanceOf(PolicyError);
      expect(error).toMatchObject({ kind: 'refused' });
    });
  });
}
