import { describe, expect, it } from 'vitest';
import { batchOf, type BatchInput, batchShares } from '../../../domain/learning/batch.ts';
import { planOf } from '../search/update/plans.ts';
import { FACTS, PARENT, rollout, SAMPLE } from './rollouts.ts';

const input = (change: Partial<BatchInput> = {}): BatchInput => ({
  plan: planOf('grpo'),
  rollouts: [rollout()],
  facts: FACTS,
  parent: PARENT,
  seed: 7,
  adjustments: {},
  ...change,
});

function made(change: Partial<BatchInput>) {
  const assembled = batchOf(input(change));
  if (!assembled.ok) throw new Error(assembled.words);
  return assembled;
}

describe('a batch', () => {
  it('has the sampled tokens, with a loss on each of them', () => {
    const { batch, leftOut } = made({ rollouts: [rollout(), rollout({ id: 'learning/2', reward: -1 })] });
    expect(leftOut).toEqual([]);
    expect(batch).toMatchObject({ version: 1, base: FACTS.base, parent: PARENT, seed: 7, tokenizer: FACTS.tokenizer });
    expect(batch.limits).toEqual({ maxTokens: 4096, microBatch: 8 });
    expect(batch.rollouts.map(({ id, reward }) => [id, reward])).toEqual([
      ['learning/1', 0.5],
      ['learning/2', -1],
    ]);
    const { promptIds, completionIds, logprobs, policyVersion } = SAMPLE;
    expect(batch.rollouts[0]).toMatchObject({ promptIds, completionIds, logprobs, policyVersion, lossMask: [1, 1] });
  });

  it('names gradient checkpointing only if it is on, so that batches of version 0.2 keep their keys', () => {
    const { limits } = made({ plan: planOf({ name: 'grpo', gradientCheckpointing: true }) }).batch;
    expect(limits).toEqual({ maxTokens: 4096, microBatch: 8, gradientCheckpointing: true });
  });

  it.each([
    [{ sample: null }, 'no sample was drawn for it'],
    [{ sample: { ...SAMPLE, completionIds: [], logprobs: [] } }, 'its sample has no tokens'],
    [{ reward: null, status: 'lost', failure: 'machine-lost' }, 'no reward: it ended as lost (machine-lost)'],
    [{ reward: null }, 'no reward: it ended as completed'],
  ] as const)('excludes a rollout without a lesson, %j, with the reason', (change, reason) => {
    const { batch, leftOut } = made({ rollouts: [rollout({ id: 'learning/2', ...change }), rollout()] });
    expect(batch.rollouts.map(({ id }) => id)).toEqual(['learning/1']);
    expect(leftOut).toEqual([{ id: 'learning/2', reason }]);
  });

  it('has no loss behind the tokens that decide the answer, if the settings say so', () => {
    const sample = { ...SAMPLE, completionIds: [4, 5, 6], logprobs: [-1, -1, -1] };
    const rollouts = [{ value: 1, answer: 2 }, null].map((answerTokens, n) =>
      rollout({ id: `learning/${n}`, sample: { ...sample, answerTokens } }),
    );
    const masks = (update: object) =>
      made({ plan: planOf({ name: 'grpo', ...update }), rollouts }).batch.rollouts.map((one) => [
        one.lossMask,
        one.entropyMask,
      ]);
    const all = [[1, 1, 1], undefined];
    expect(masks({ tokens: 'answer' })).toEqual([
      [
        [1, 1, 0],
        [1, 0, 0],
      ],
      all,
    ]);
    expect(masks({ tokens: 'all' })).toEqual([all, all]);
    expect(masks({})).toEqual([all, all]);
  });

  it('keeps a group that lacks members', () => {
    const rollouts = [rollout(), rollout({ id: 'learning/9', group: 'g2' })];
    expect(made({ rollouts }).batch.rollouts.map(({ group }) => group)).toEqual(['g1', 'g2']);
  });

  it('gives a copy the outcome of its first trial', () => {
    const copy = rollout({ status: 'cached', isCopy: true, first: { status: 'crashed', failure: 'exit-code' } });
    expect(made({ rollouts: [copy] }).batch.rollouts[0]?.outcome).toBe('failed');
  });

  it('has the settings that gates have changed', () => {
    const { batch } = made({ adjustments: { entropyCoefficient: 0.04, lr: 1e-4 } });
    expect(batch.algorithm).toMatchObject({ name: 'grpo', entropyCoefficient: 0.04, clipHigh: 0.28 });
    expect(batch.optimizer).toMatchObject({ lr: 1e-4, maxGradNorm: 1 });
    expect(() => made({ adjustments: { learningRate: 1 } })).toThrow('got learningRate');
  });

  it('has feedback only if a teacher has read it', () => {
    const rollouts = [
      rollout({ feedback: 'It crashed.', teacherPromptIds: [1, 9] }),
      rollout({ id: 'learning/2', feedback: 'It crashed.' }),
    ];
    const { batch } = made({ plan: planOf('sdpo'), rollouts });
    expect(batch.rollouts.map(({ feedback, teacherPromptIds }) => [feedback, teacherPromptIds])).toEqual([
      ['It crashed.', [1, 9]],
      [null, null],
    ]);
  });
});

describe('a batch with nothing to learn from', () => {
  it('is refused, not sent empty', () => {
    const rollouts = [rollout({ sample: null }), rollout({ id: 'learning/2', reward: null })];
    expect(batchOf(input({ rollouts }))).toMatchObject({
      ok: false,
      words: 'nothing to learn from: expected rollouts with a sample and a reward, found none among 2',
      leftOut: [{ id: 'learning/1' }, { id: 'learning/2' }],
    });
  });

  it('includes one without a teacher if the update learns from teachers alone', () => {
    expect(batchOf(input({ plan: planOf('sdpo') }))).toMatchObject({
      words: 'nothing to learn from: expected a better answer or feedback for one of 1 rollouts, found neither',
    });
    expect(batchOf(input({ plan: planOf({ name: 'sdpo', distillationWeight: 0.5 }) })).ok).toBe(true);
  });
});

describe('the metrics of a batch', () => {
  it('are the shares of new candidates and of completed trials, copies included', () => {
    const completed = { status: 'completed', failure: null } as const;
    const rollouts = [
      rollout(),
      rollout({ status: 'cached', isCopy: true, first: completed }),
      rollout({ status: 'cached', isCopy: true, first: { status: 'crashed', failure: 'exit-code' } }),
      rollout({ status: 'lost', failure: 'machine-lost' }),
    ];
    expect(batchShares(rollouts)).toEqual({ novelty: 0.25, success: 0.5 });
  });

  it('count a copy as known whether it ran or not', () => {
    expect(batchShares([rollout(), rollout({ isCopy: true })])).toEqual({ novelty: 0.5, success: 1 });
  });

  it('are absent for an empty batch', () => {
    expect(batchShares([])).toEqual({});
  });
});
