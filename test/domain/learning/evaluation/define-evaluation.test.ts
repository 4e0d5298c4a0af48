import { describe, expect, test } from 'vitest';
import {
  argsOfEvaluation,
  type EvaluationKey,
  idOfEvaluation,
} from '../../../../domain/learning/evaluation/define-evaluation.ts';
import { ResearchArgs } from '../../../../domain/messages.ts';
import { isCheck } from '../../../../domain/research/check-id.ts';
import type { Knob } from '../../../../domain/knob/knob.ts';
import { Search } from '../../../../domain/search/schema.ts';
import { makerOf } from '../../../../domain/search/proposer/makers.ts';
import { isTrialId } from '../../../../domain/trial/ids.ts';
import { hashOf } from '../../../cli/support/lineage.ts';

const lr: Knob = { file: 'knobs.mjs', name: 'lr', type: 'float', range: [1e-4, 10], scale: 'log' };
const momentum: Knob = { ...lr, name: 'momentum' };
const KEY: EvaluationKey = {
  policy: 'lr-knob',
  version: 3,
  weights: hashOf('weights'),
  taskHash: hashOf('task'),
  samples: 8,
  seed: 'root',
};

describe('an evaluation', () => {
  test('is found again by policy, version, weights, task, samples and seed root, and by nothing else', () => {
    const id = idOfEvaluation(KEY, hashOf);
    expect(id).toMatch(/^eval\/lr-knob\/v3-[0-9a-f]{12}$/);
    expect(idOfEvaluation({ ...KEY }, hashOf)).toBe(id);
    const others = [
      { policy: 'lr-knob-2' },
      { version: 4 },
      // Another research of this id, after the first one was deleted.
      { weights: hashOf('other weights') },
      { taskHash: hashOf('other') },
      { samples: 9 },
      { seed: 'other' },
    ].map((change) => idOfEvaluation({ ...KEY, ...change }, hashOf));
    expect(new Set([id, ...others]).size).toBe(7);
    expect([isCheck(id), isTrialId(id)]).toEqual([true, false]);
  });

  test('draws the samples as the research does, from one prompt, and learns, stops and claims nothing', () => {
    const learner = makerOf({ name: 'policy', base: 'smollm2-135m', answers: 'knobs', maxTokens: 8 });
    const reward = { name: 'improvement', failed: -1 } as const;
    const search = Search.parse({ reward, context: 'none', parent: 'lead', update: 'grpo', history: 30 });
    const args = argsOfEvaluation(KEY, {
      task: { location: KEY.taskHash, knobs: [lr] },
      evaluated: { search, learner, knobs: [lr] },
    });
    expect(ResearchArgs.safeParse(args).success).toBe(true);
    expect(args).toMatchObject({
      check: 'evaluation',
      seed: 'root',
      budget: { proposals: 8, trials: null, usd: null },
    });
    expect(args.search).toEqual({
      proposer: { ...learner.settings, name: 'policy', base: 'lr-knob@3', stop: [] },
      update: 'none',
      parent: 'original',
      context: 'none',
      history: 0,
      abort: 'none',
      reward: search.reward,
    });
  });

  test('ends answers as the research does, and not before the second line of a task with several knobs', () => {
    const stopOn = (stop: string[] | undefined, { knobs, learntOn = [lr] }: { knobs: Knob[]; learntOn?: Knob[] }) => {
      const learner = makerOf({ name: 'policy', ...(stop && { stop }) });
      const evaluated = { search: Search.parse({}), learner, knobs: learntOn };
      const { search } = argsOfEvaluation(KEY, { task: { location: 'toy', knobs }, evaluated });
      return (search?.['proposer'] as { stop?: unknown }).stop;
    };
    // A research that 0.2 began stored none.
    expect(stopOn(undefined, { knobs: [lr] })).toEqual([]);
    expect(stopOn(['\n'], { knobs: [lr] })).toEqual(['\n']);
    expect(stopOn(['\n', '.'], { knobs: [lr, momentum] })).toEqual(['.']);
    expect(stopOn(['\n'], { knobs: [lr, momentum], learntOn: [lr, momentum] })).toEqual(['\n']);
  });

  test('of version 0 samples the base with which the research began', () => {
    const baseFor = (base: string): unknown => {
      const evaluated = { search: Search.parse({}), learner: makerOf({ name: 'policy', base }), knobs: [lr] };
      const task = { location: 'toy', knobs: [lr] };
      return argsOfEvaluation({ ...KEY, version: 0 }, { task, evaluated }).search?.['proposer'];
    };
    expect(baseFor('smollm2-135m')).toMatchObject({ base: 'smollm2-135m' });
    expect(baseFor('older@7')).toMatchObject({ base: 'lr-knob@0' });
  });
});
