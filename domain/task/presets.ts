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
  puct: {
    overrides: { search: { parent: 'puct', update: 'none' } },
    source: 'reuse buffer of autoresearch-distillation (SilenNaihin, df28f4b)',
    published: null,
    deviations: [
      'values are scaled by their range, since gains in units of the metric decide alone or not at all',
      'the value of a node itself counts, and proposals in flight count as visits',
      '`variant: published` has neither of these corrections',
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
    ],
    notBuilt: ['several parents in one prompt', 'islands that are added while the search runs'],
  },
  'map-elites': {
    overrides: { search: { parent: 'map-elites', update: 'none' } },
    source: 'Mouret and Clune, Illuminating search spaces by mapping elites (arXiv 1504.04909)',
    published: null,
    deviations: [
      'cells by the first two knobs, five bins each: set `search.parent.by` to descriptors of your task',
      'the search begins with the original; published are random candidates',
      'the first run of a candidate decides its cell',
    ],
    notBuilt: ['crossover of two elites', 'bins that adapt to the values'],
  },
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
