import { MODEL_PRESETS } from './presets/model-presets.ts';
import type { Preset } from './presets/preset.ts';

export type { Preset } from './presets/preset.ts';

const REWARD = { name: 'improvement', scale: 'absolute' };
/** Settings for all weights of a 14B model, with prompts of 16k and answers of 48k tokens. */
const LARGE = { adapter: { kind: 'full' }, lr: 1e-6, microBatch: 1, maxTokens: 65_536, entropyCoefficient: 0 };
const DISTILLATION = {
  source: 'autoresearch-distillation (SilenNaihin, df28f4b)',
  published: 'Qwen3-14B, all weights, on two H100',
};
const PUCT = { name: 'puct', variant: 'published' };
const GRPO = { name: 'grpo', ...LARGE, batch: 128, group: 8, klCoefficient: 1e-5 };
const SDPO = {
  name: 'sdpo',
  ...LARGE,
  batch: 16,
  group: 1,
  distillation: 'top-k',
  topK: 20,
  teacher: 'ema',
  emaRate: 0.01,
  ratioCap: 2,
  feedback: {
    completed: 'The change ran. It gave {value}.',
    failed: 'The change failed: {reason}',
    rejected: 'The change did not run: {reason}',
    aborted: 'The change was stopped early: {reason}',
  },
};

/** The publication of draws that are even over the whole space. */
const RANDOM_SEARCH = 'Bergstra and Bengio, Random search for hyper-parameter optimization (JMLR 13, 2012)';
/** Settings of a method that needs no model and no update. */
const WITHOUT_MODEL = { parent: 'lead', update: 'none' };

/** Methods by name. A number without a source is the default. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  random: {
    overrides: { search: { ...WITHOUT_MODEL, proposer: 'random' } },
    source: RANDOM_SEARCH,
    published: null,
    deviations: [
      'after the first even draws, some knobs of the lead change; published is a draw of all knobs each time',
    ],
    notBuilt: [],
  },
  uniform: {
    overrides: { search: { ...WITHOUT_MODEL, proposer: 'uniform' } },
    source: RANDOM_SEARCH,
    published: null,
    deviations: ['a candidate that is known is not run again: another one is drawn'],
    notBuilt: [],
  },
  grid: {
    overrides: { search: { ...WITHOUT_MODEL, proposer: { name: 'grid', points: 5 } } },
    source: 'grid search, as Bergstra and Bengio (JMLR 13, 2012) compare it with random draws',
    published: null,
    deviations: [
      'the order strides through the grid, so that a budget that ends early has seen the whole range',
      'the number of points is published for no problem: 5 is the default',
    ],
    notBuilt: [],
  },
  tpe: {
    overrides: {
      search: { ...WITHOUT_MODEL, proposer: { name: 'tpe', startup: 10, candidates: 24, share: 0.1 } },
    },
    source: 'Bergstra, Bardenet, Bengio, Kégl (NIPS 2011); BOHB (Falkner et al., ICML 2018); numbers of Optuna 4',
    published: null,
    deviations: [
      'the densities are joint, as in BOHB; published in 2011 is one density for each knob',
      'failed candidates and those in flight count as bad; published in 2011 ignores those in flight',
      'only candidates whose code is that of the parent count; published is a fixed program',
      'up to three knobs, the bandwidth is the distance to neighbours, as in Optuna 5',
    ],
    notBuilt: ['knobs that exist only with some values of other knobs', 'several objectives'],
  },
  mix: {
    overrides: {
      search: {
        ...WITHOUT_MODEL,
        proposer: {
          name: 'mix',
          by: 'schedule',
          arms: [
            { proposer: 'tpe', trials: 3 },
            { proposer: 'random', trials: 1 },
          ],
        },
      },
    },
    source: 'experiment 42 of Perpetua: three draws of tpe, then one of random',
    published: null,
    deviations: [],
    notBuilt: [],
  },
  'autoresearch-rl': {
    overrides: {
      search: { ...WITHOUT_MODEL, proposer: 'uniform', window: 1, abort: 'none' },
      keep: { policy: 'strict', baselineRuns: 1 },
    },
    source: 'autoresearch-rl (epappas/autoresearch-rl, 5304013): its policy `random` with its defaults',
    published: null,
    deviations: [
      'a knob has a range; published is a list of values for each, which knobs of type choice give',
      'a candidate that is known is not run again; published are draws with repetition',
      'the score is that of the evaluator; published is a number that the program prints',
    ],
    notBuilt: [
      'its policy `learned`: PPO of a small network over all combinations of values',
      'its policy `hybrid`: changes of code by a model after three trials without a gain; the nearest is `mix`',
      'its end after a number of trials without a gain, or above a share of failures',
    ],
  },
  puct: {
    overrides: { search: { parent: 'puct', update: 'none' } },
    source: 'reuse buffer of autoresearch-distillation (SilenNaihin, df28f4b)',
    published: null,
    deviations: [
      'values are scaled by their range, since gains in units of the metric decide alone or not at all',
      'the value of a node itself counts; published are the values of its descendants',
      'every scored candidate may be chosen; published are the baseline and at most 999 with a gain over it',
      '`variant: published` has none of these corrections',
    ],
    notBuilt: [],
  },
  islands: {
    overrides: { search: { parent: 'islands', update: 'none' } },
    source: 'FunSearch (Nature 625, 2024), ShinkaEvolve (arXiv 2509.19349), OpenEvolve',
    published: null,
    deviations: [
      'the weakest island begins anew if the search stagnates; FunSearch resets the weaker half every four hours',
      'a tenth of the proposals start from the best of the island before; OpenEvolve copies candidates in rounds',
      'a parent is drawn by 1/rank, as `power_law` of ShinkaEvolve; FunSearch draws by softmax over scores',
      'four islands; published are 10 (FunSearch), 2 (ShinkaEvolve) and 5 (OpenEvolve)',
      'one parent in a prompt; published are two or more: `llm` has a second one with the operator `crossover`',
    ],
    notBuilt: ['islands that are added while the search runs'],
  },
  'map-elites': {
    overrides: { search: { parent: 'map-elites', update: 'none' } },
    source: 'Mouret and Clune, Illuminating search spaces by mapping elites (arXiv 1504.04909)',
    published: null,
    deviations: [
      'cells by the first two knobs, five bins each: set `search.parent.by` to descriptors of your task',
      'the search begins with the original; published are random candidates',
      'the first run of a candidate decides its cell',
      'changes of one elite; published is crossover, too: `llm` has it with the operator `crossover`',
    ],
    notBuilt: ['bins that adapt to the values'],
  },
  'cma-es': {
    overrides: { search: { proposer: 'cma-es', parent: 'lead', update: 'none' } },
    source: 'Hansen, The CMA evolution strategy: a tutorial (arXiv 1604.00772), by Optuna 5.0.0 and cmaes 0.13.1',
    published: null,
    deviations: [
      'a late score of an earlier generation counts in the open one; Optuna leaves it out',
      'scores are those of first runs; candidates that failed are left out, as in Optuna',
      'the first draws, until the first score, are even over the space, as in Optuna',
    ],
    notBuilt: ['restarts (IPOP, BIPOP)', 'margins for whole numbers (CMA-ES with margin)'],
  },
  ...MODEL_PRESETS,
  grpo: {
    ...DISTILLATION,
    overrides: { search: { parent: PUCT, reward: REWARD, update: GRPO } },
    deviations: ['all samples of a group have one parent; in the source a group mixes parents'],
    notBuilt: [],
  },
  sdpo: {
    ...DISTILLATION,
    overrides: { search: { parent: PUCT, reward: REWARD, update: SDPO } },
    deviations: [],
    notBuilt: [],
  },
  ppo: {
    overrides: {
      search: {
        context: 'history',
        history: 32,
        reward: 'weighted-sum',
        update: { name: 'ppo', lambda: 0.95, valueCoefficient: 0.5, entropyCoefficient: 0.01 },
      },
    },
    source: 'AutoResearch-RL (arXiv 2603.07300)',
    published: 'low-rank weights of a model that is not public',
    deviations: ['learning rate, clipping and batch are not published: they are the defaults'],
    notBuilt: [],
  },
  'icl-through-trainer': {
    ...DISTILLATION,
    overrides: { search: { parent: PUCT, reward: REWARD, update: { ...GRPO, lr: 0, gates: [] } } },
    deviations: ['nothing is learnt in the loop of grpo: it measures what the prompt alone brings'],
    notBuilt: [],
  },
  'sdpo-ckpt-single': {
    overrides: { search: { parent: 'original', context: 'none', reward: REWARD, update: 'none' } },
    source: DISTILLATION.source,
    published: 'the model that sdpo has made, as base of the proposer',
    deviations: [],
    notBuilt: [],
  },
};
