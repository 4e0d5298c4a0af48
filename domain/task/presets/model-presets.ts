import type { Preset } from '../presets.ts';

/** Settings of methods whose weights stay as they are. */
const ASKS = { proposer: 'llm', update: 'none' };
const PUBLISHED_PUCT = { name: 'puct', variant: 'published' };
const BASELINES = 'baseline loops of autoresearch-distillation (SilenNaihin, df28f4b)';

/** Methods that ask a model behind an endpoint, by name. */
export const MODEL_PRESETS: Readonly<Record<string, Preset>> = {
  karpathy: {
    overrides: {
      search: { ...ASKS, parent: 'best', window: 1, abort: 'none' },
      keep: { policy: 'strict', baselineRuns: 1 },
    },
    source: 'autoresearch (karpathy/autoresearch): one agent; a change is kept if its run is better, else reverted',
    published: 'a coding agent and one H100',
    deviations: [
      'one model call makes a change; published is a coding agent, which `search.proposer: command` is',
      'the evaluator scores; published is a number that the program prints',
    ],
    notBuilt: [],
  },
  'single-turn': {
    overrides: { search: { ...ASKS, parent: 'original', context: 'none' } },
    source: `${BASELINES}, flag single-turn`,
    published: 'Qwen3-14B and Claude Opus',
    deviations: ['an unusable answer is asked again, up to `llm.attempts`: set 1 for the published number'],
    notBuilt: [],
  },
  icl: {
    overrides: {
      search: { ...ASKS, parent: PUBLISHED_PUCT, context: { name: 'history', best: 5 }, history: 32 },
    },
    source: `${BASELINES}: a history of 32 and the top five`,
    published: 'Qwen3-14B and Claude Opus',
    deviations: [
      'a diff is cut to its share of the prompt; published are 1,000 characters',
      'notes of people and proposals under way are in the prompt, too',
    ],
    notBuilt: [],
  },
  hybrid: {
    overrides: {
      search: {
        parent: 'lead',
        update: 'none',
        proposer: {
          name: 'mix',
          by: 'weights',
          arms: [
            { proposer: 'llm', weight: 3 },
            { proposer: 'tpe', weight: 7 },
          ],
        },
      },
    },
    source:
      'Can LLMs beat classical HPO? (arXiv 2603.24647): a model for 30 % of the trials, an optimizer for the rest',
    published: 'a model behind an endpoint, with CMA-ES as the optimizer',
    deviations: [
      'the model changes the code, `tpe` the knobs of the lead; published is a fixed space for both',
      '`tpe` learns from candidates with the structure of its parent alone',
    ],
    notBuilt: ['the state of the optimizer in the prompt of the model'],
  },
  'openevolve-like': {
    overrides: {
      search: {
        ...ASKS,
        parent: { name: 'islands', count: 5, migration: 0.1 },
        context: { name: 'history', best: 5 },
        history: 5,
      },
    },
    source: 'OpenEvolve, after AlphaEvolve (arXiv 2506.13131)',
    published: 'models behind an endpoint',
    deviations: [
      'islands without cells; published are MAP-Elites cells on each island: set `search.parent: map-elites` for cells',
      'several models are arms of `mix` that you name; published is an ensemble by weights',
    ],
    notBuilt: ['inspirations: diverse elites in the prompt', 'a cascade of evaluations'],
  },
  'shinka-like': {
    overrides: {
      search: {
        update: 'none',
        parent: { name: 'islands', count: 2, migration: 0.1 },
        context: { name: 'history', best: 4 },
        history: 5,
        proposer: { name: 'llm', operators: { tweak: 6, rewrite: 3, crossover: 1 } },
      },
    },
    source: 'ShinkaEvolve (arXiv 2509.19349): patches by diff, whole file and crossover, with weights .6, .3, .1',
    published: 'several models behind endpoints',
    deviations: [
      'one model: for several, name each as an arm of `mix` with `by: thompson`; published is a bandit by UCB',
      'a tweak may be a whole file, and a rewrite edits: the answer decides',
    ],
    notBuilt: ['rejection of near-copies by embeddings and a judge', 'recommendations of a second model'],
  },
};
