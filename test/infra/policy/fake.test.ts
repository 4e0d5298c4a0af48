import { expect, test } from 'vitest';
import { batchOf, checkpointOf, keyOf, rolloutOf, samplesOf } from '../../support/policy/batch-of.ts';
import { openPolicy } from '../../support/policy/fake.ts';
import { describePolicy } from './conformance.ts';

const asked = { base: 'any', content: 'Which learning rate?', maxTokens: 32 };
describePolicy('the policy server without torch', { ...asked, open: () => openPolicy() });

test('its policy learns the answer that is rewarded, and stays as it is at a rate of 0', async () => {
  const home = await openPolicy();
  const { signal } = new AbortController();
  try {
    const facts = await home.policy.facts('any', signal);
    const rewardOf = (text: string) => -Math.abs(Math.log10(Number(text.slice('lr = '.length)) / 0.1));
    for (const [rate, isBetter] of [
      [4e-4, true],
      [0, false],
    ] as const) {
      let version: { path: string; sha256: string } | null = null;
      const means: number[] = [];
      for (let step = 0; step < 12; step += 1) {
        const samples = await samplesOf(home.policy, { ...asked, signal }, { count: 16, from: step * 16, version });
        const rollouts = samples.map((sample, index) => rolloutOf(sample, index, rewardOf(sample.text)));
        const batch = batchOf(facts, rollouts, { stepKey: keyOf(`${rate}/${step}`), parent: version });
        const result = await home.policy.step(
          { ...batch, optimizer: { ...batch.optimizer, lr: rate } },
          { base: 'any' },
          signal,
        );
        means.push(result.metrics.rewardMean ?? NaN);
        version = checkpointOf(home.policy, result);
      }
      expect((means.at(-1) ?? NaN) - (means[0] ?? NaN) > 0.5).toBe(isBetter);
    }
  } finally {
    await home.close();
  }
});
