import type { Overrides } from './overrides.ts';

/** A method as overrides of a research. The task sets the proposer, unless the overrides name one. */
export interface Preset {
  overrides: Overrides;
  /** The publication, or the code, that the values are from. */
  source: string;
  /** Model and hardware of the publication; null for a method that needs neither. */
  published: string | null;
  /** Differences from the publication. */
  deviations: readonly string[];
  /** Features of the publication that Perpetua does not have. */
  notBuilt: readonly string[];
}

const REWARD = { name: 'improvement', scale: 'absolute' };
/** Settings for all weights of a 14B model, with prompts of 16k and answers of 48k tokens. */
const LARGE = { adapter: { kind: 'full' }, lr: 1e-6, microBatch: 1, maxTokens: 65_536, entropyCoefficient: 0 };
const DISTILLATION = {
  source: 'autoresearch-distillation (SilenNaihin, df28f4b)',
  published: 'Qwen3-14B, all weights, on two H100',
};
const TREE = ['a tree of parents (PUCT): the parent is that of the task'];
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
  grpo: {
    ...DISTILLATION,
    overrides: { search: { reward: REWARD, update: GRPO } },
    deviations: [],
    notBuilt: TREE,
  },
  sdpo: {
    ...DISTILLATION,
    overrides: { search: { reward: REWARD, update: SDPO } },
    deviations: [],
    notBuilt: TREE,
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
    overrides: { search: { reward: REWARD, update: { ...GRPO, lr: 0, gates: [] } } },
    deviations: ['nothing is learnt in the loop of grpo: it measures what the prompt alone brings'],
    notBuilt: TREE,
  },
  'sdpo-ckpt-single': {
    overrides: { search: { parent: 'original', context: 'none', reward: REWARD, update: 'none' } },
    source: DISTILLATION.source,
    published: 'the model that sdpo has made, as base of the proposer',
    deviations: [],
    notBuilt: [],
  },
};
