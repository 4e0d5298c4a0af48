import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { updatePlanIn, UPDATES } from '../../../../domain/search/update/table.ts';
import { fitOverrides } from '../../../../domain/task/overrides.ts';
import { TASK } from '../../../cli/support/lineage.ts';
import { planOf } from './plans.ts';

/** The sets of keys that the trainer accepts, read from its source. */
function keysOfTrainer(): Record<string, string[]> {
  const source = readFileSync('trainer/perpetua_trainer/input/algorithms.py', 'utf8');
  const sets = source.matchAll(/^([A-Z]+) = (.*)$/gm);
  const found: Record<string, string[]> = {};
  for (const [, name = '', text = ''] of sets) {
    const own = [...text.matchAll(/"(\w+)"/g)].map(([, key = '']) => key);
    const others = [...text.matchAll(/\b([A-Z]{2,})\b/g)].flatMap(([, other = '']) => found[other] ?? []);
    found[name] = [...own, ...others];
  }
  return found;
}

/** The problems of a task with that update. */
const problems = (update: unknown): string[] => fitOverrides(TASK, { search: { update } }).unfit;

describe('a plan', () => {
  it.each([
    ['grpo', 'GRPO'],
    ['ppo', 'PPO'],
    ['sdpo', 'SDPO'],
  ])('of %s has exactly the keys that the trainer requires', (update, set) => {
    const { COMMON = [], [set]: keys = [] } = keysOfTrainer();
    expect(keys.length).toBeGreaterThan(4);
    expect(Object.keys(planOf(update).algorithm).sort()).toEqual([...COMMON, ...keys].sort());
  });

  it('of a mixture has the keys of a group in its part of grpo', () => {
    const { grpo } = planOf({ name: 'sdpo', distillationWeight: 0.9, grpo: { scaleRewards: 'none' } }).algorithm;
    expect(Object.keys(grpo as object).sort()).toEqual(keysOfTrainer().GRPO?.sort());
    expect(grpo).toMatchObject({ scaleRewards: 'none', clipHigh: 0.28 });
    expect(planOf({ name: 'sdpo', distillationWeight: 0.9 }).algorithm.grpo).toMatchObject({ scaleRewards: 'group' });
  });

  it('has the measured numbers by default', () => {
    expect(planOf('grpo')).toMatchObject({
      batch: 16,
      group: 8,
      staleness: 0,
      maxTokens: 4096,
      teacher: null,
      algorithm: { clipLow: 0.2, clipHigh: 0.28, entropyCoefficient: 0.01, klCoefficient: 0, isCap: 2, epochs: 1 },
      optimizer: { name: 'adamw', lr: 4e-4, betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0, maxGradNorm: 1 },
      adapter: { kind: 'lora', rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'], dropout: 0 },
    });
    expect(planOf('ppo').algorithm).toMatchObject({ gamma: 1, lambda: 0.95, valueLr: 0.2, valueCoefficient: 0.5 });
    expect(planOf('sdpo')).toMatchObject({
      algorithm: { distillation: 'full-logits', topK: null, teacher: 'base', emaRate: null, grpo: null },
      teacher: { solutions: true, feedback: {} },
    });
  });

  it('fills in the defaults that depend on another setting, and null otherwise', () => {
    const { algorithm } = planOf({ name: 'sdpo', distillation: 'top-k', teacher: 'ema', oldLogprobs: 'sampler' });
    expect(algorithm).toMatchObject({ topK: 20, emaRate: 0.01, isCap: null });
    expect(planOf({ name: 'grpo', isCap: null }).algorithm.isCap).toBeNull();
    expect(planOf({ name: 'grpo', adapter: { kind: 'full' } }).adapter).toEqual({ kind: 'full' });
  });

  it('is null without learning', () => {
    expect([updatePlanIn({}), updatePlanIn({ update: 'none' })]).toEqual([null, null]);
  });
});

describe('gates', () => {
  it.each(Object.keys(UPDATES).filter((name) => name !== 'none'))('of %s detect a collapse of the entropy', (name) => {
    const ofEntropy = planOf(name).gates.filter(({ metric }) => metric === 'entropy');
    expect(ofEntropy.map(({ then }) => then)).toEqual(['adjust', 'halt']);
  });

  it('halt below another entropy in a research that 0.2 began, whose entropy counts all tokens', () => {
    const haltOf = (update: object) =>
      planOf({ name: 'grpo', ...update }).gates.find(({ metric, then }) => metric === 'entropy' && then === 'halt')
        ?.below;
    expect([haltOf({ tokens: 'answer' }), haltOf({}), haltOf({ tokens: 'all' })]).toEqual([0.005, 0.002, 0.002]);
  });

  it('in the settings replace those of the method', () => {
    const gate = { metric: 'kl', above: 1, then: 'halt' };
    expect(planOf({ name: 'ppo', gates: [gate] }).gates).toEqual([gate]);
    expect(planOf({ name: 'ppo', gates: [] }).gates).toEqual([]);
  });

  it('that adjust a learning rate of 0 are left out, and no others', () => {
    const adjusting = (key: string) => ({ metric: 'kl', above: 1, then: 'adjust', adjust: { key, by: 2 } });
    const gates = [adjusting('lr'), adjusting('entropyCoefficient')];
    expect(planOf({ name: 'grpo', lr: 0, gates })).toMatchObject({ gates: [gates[1]], gatesLeftOut: [gates[0]] });
    expect(planOf({ name: 'grpo', gates })).toMatchObject({ gates, gatesLeftOut: [] });
    const isOfRate = ({ adjust }: { adjust?: { key: string } }) => adjust?.key === 'lr';
    for (const name of Object.keys(UPDATES).filter((one) => one !== 'none')) {
      const usual = planOf(name).gates;
      const control = planOf({ name, lr: 0 });
      expect(control.gates).toEqual(usual.filter((gate) => !isOfRate(gate)));
      expect(control.gatesLeftOut).toEqual(usual.filter(isOfRate));
    }
  });

  it('do not blame the sampler for stale samples', () => {
    const metrics = (staleness: number) => planOf({ name: 'grpo', staleness }).gates.map(({ metric }) => metric);
    expect(metrics(0)).toContain('samplerDiffMax');
    expect(metrics(1)).not.toContain('samplerDiffMax');
  });

  it('of ppo lower the learning rate of a value head that overshoots, if the head learns', () => {
    const gate = { metric: 'explainedVariance', below: -0.5, updates: 3, then: 'adjust' };
    expect(planOf('ppo').gates).toContainEqual({ ...gate, adjust: { key: 'valueLr', by: 0.5 } });
    const metrics = (update: unknown) => planOf(update).gates.map(({ metric }) => metric);
    expect(metrics({ name: 'ppo', valueLr: 0 })).not.toContain('explainedVariance');
    expect(metrics('grpo')).not.toContain('explainedVariance');
  });

  it('of a teacher use the sign of its agreement', () => {
    expect(planOf('sdpo').gates).toContainEqual(expect.objectContaining({ metric: 'teacherAgreement', below: 0 }));
  });
});

describe('settings that contradict each other are refused with their path', () => {
  const sdpo = (settings: object) => ({ name: 'sdpo', ...settings });
  it.each([
    [{ name: 'grpo', batch: 20 }, 'search.update.batch: expected a multiple of group, which is 8, got the number 20'],
    [{ name: 'grpo', group: 3 }, 'search.update.batch: it is missing; expected a multiple of group, which is 3'],
    [{ name: 'ppo', dualClip: 1.1 }, 'search.update.dualClip: expected more than 1 + clipHigh, which is 1.28, or null'],
    [{ name: 'grpo', oldLogprobs: 'sampler', isCap: 2 }, 'search.update.isCap: expected none, since oldLogprobs'],
    [{ name: 'grpo', isCap: null, staleness: 1 }, 'search.update.isCap: expected a number, since samples may be stale'],
    [sdpo({ topK: 20 }), 'search.update.topK: expected none, since distillation is not top-k, got the number 20'],
    [sdpo({ emaRate: 0.1 }), 'search.update.emaRate: expected none, since teacher is not ema, got the number 0.1'],
    [sdpo({ grpo: {} }), 'search.update.grpo: expected none, since distillationWeight is 1'],
    [sdpo({ distillationWeight: 0.5, grpo: { dualClip: 1 } }), 'search.update.grpo.dualClip: expected '],
    [sdpo({ solutions: false }), 'search.update.solutions: expected true, or a text in feedback'],
    [
      sdpo({ feedback: { failed: 'It ended with {reason} at {answer}.' } }),
      'search.update.feedback.failed: expected a text with no other placeholder than {reason}, not {answer}',
    ],
    [
      sdpo({ oldLogprobs: 'sampler', staleness: 1, ratioCap: null }),
      'search.update.ratioCap: expected a number, since samples may be stale',
    ],
    [
      { name: 'grpo', gates: [{ metric: 'kl', then: 'halt' }] },
      'search.update.gates[0].below: it is missing; expected a',
    ],
    [
      { name: 'grpo', gates: [{ metric: 'entropie', below: 1, then: 'halt' }] },
      'got the text "entropie"; did you mean entropy?',
    ],
    [
      { name: 'grpo', gates: [{ metric: 'kl', above: 1, then: 'adjust' }] },
      'search.update.gates[0].adjust: it is missing; expected key and by, since then is adjust',
    ],
    [
      { name: 'grpo', gates: [{ metric: 'kl', above: 1, then: 'tell', adjust: { key: 'lr', by: 0.5 } }] },
      'search.update.gates[0].adjust: expected none, since then is tell',
    ],
    [
      { name: 'grpo', gates: [{ metric: 'kl', above: 1, then: 'adjust', adjust: { key: 'klCoefficient', by: 2 } }] },
      'search.update.gates[0].adjust.key: expected a setting above 0, since it is multiplied, and klCoefficient is 0',
    ],
    [
      { name: 'grpo', gates: [{ metric: 'kl', above: 1, then: 'adjust', adjust: { key: 'valueLr', by: 2 } }] },
      'search.update.gates[0].adjust.key: expected a setting of this method, which has no valueLr',
    ],
  ])('%j', (update, words) => {
    expect(problems(update)).toEqual([expect.stringContaining(words)]);
    expect(() => updatePlanIn({ update })).toThrow('search.update: this version does not know');
  });
});
