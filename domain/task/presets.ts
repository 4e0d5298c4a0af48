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

/** Methods by name. A number without a source is the default. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  random: {
    overrides: { search: { proposer: 'random', parent: 'lead', update: 'none' } },
    source: 'Bergstra and Bengio, Random search for hyper-parameter optimization (JMLR 13, 2012)',
    published: null,
    deviations: [
      'some knobs of the lead change in each proposal; published is a draw of all knobs from the whole space',
    ],
    notBuilt: [],
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
