import type { Overrides } from './overrides.ts';

/** A published method as overrides of a research. The task sets the proposer, and with it the model that learns. */
export interface Preset {
  overrides: Overrides;
  /** The published setting: required hardware, and features that Perpetua does not have. */
  published: string;
}

const REWARD = { name: 'improvement', scale: 'absolute' };
/** Settings for all weights of a 14B model, with prompts of 16k and answers of 48k tokens. */
const LARGE = { adapter: { kind: 'full' }, lr: 1e-6, microBatch: 1, maxTokens: 65_536, entropyCoefficient: 0 };
const ON_H100S = 'Qwen3-14B, all weights, on two H100; a tree of parents (PUCT), which is not built';
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

/**
 * Published methods by name. Source of ppo: AutoResearch-RL (arXiv 2603.07300), which gives only λ of GAE and the
 * weights of values and entropy. Source of all others: autoresearch-distillation (SilenNaihin, df28f4b). A number
 * without a source is the default.
 */
export const PRESETS: Readonly<Record<string, Preset>> = {
  grpo: { overrides: { search: { reward: REWARD, update: GRPO } }, published: ON_H100S },
  sdpo: { overrides: { search: { reward: REWARD, update: SDPO } }, published: ON_H100S },
  ppo: {
    overrides: {
      search: {
        context: 'history',
        history: 32,
        reward: 'weighted-sum',
        update: { name: 'ppo', lambda: 0.95, valueCoefficient: 0.5, entropyCoefficient: 0.01 },
      },
    },
    published: 'low-rank weights of a model that is not public; learning rate, clipping and batch are not given',
  },
  'icl-through-trainer': {
    overrides: { search: { reward: REWARD, update: { ...GRPO, lr: 0, gates: [] } } },
    published: `${ON_H100S}; the same loop as grpo, where nothing is learnt: what the prompt alone brings`,
  },
  'sdpo-ckpt-single': {
    overrides: { search: { parent: 'original', context: 'none', reward: REWARD, update: 'none' } },
    published:
      'the model that sdpo has made, as base of the proposer; each proposal from the original, without history',
  },
};
