import type { Preset } from './preset.ts';

/** Settings of methods whose weights stay as they are. */
const ASKS = { proposer: 'llm', update: 'none' };
const PUBLISHED_PUCT = { name: 'puct', variant: 'published' };
const BASELINES = 'baseline loops of autoresearch-distillation (SilenNaihin, df28f4b)';

const SPECIALISTS = 'Auto Research with Specialist Agents, control';
/** Ten proposers that are alike. */
const GENERIC = Array.from({ length: 10 }, (_, index) => ({
  proposer: { name: 'llm', specialist: { name: `generic-${index}` } },
  trials: 1,
}));

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
        context: { name: 'history', best: 5, inspirations: 2 },
        history: 5,
      },
    },
    source: 'OpenEvolve, after AlphaEvolve (arXiv 2506.13131)',
    published: 'models behind an endpoint',
    deviations: [
      'islands without cells; published are MAP-Elites cells on each island: set `search.parent: map-elites` for cells',
      'several models are arms of `mix` that you name; published is an ensemble by weights',
    ],
    notBuilt: ['a cascade of evaluations'],
  },
  'shinka-like': {
    overrides: {
      search: {
        update: 'none',
        parent: { name: 'islands', count: 2, migration: 0.1 },
        context: { name: 'history', best: 4 },
        history: 5,
        novelty: { name: 'near', threshold: 0.95 },
        proposer: { name: 'llm', operators: { tweak: 6, rewrite: 3, crossover: 1 } },
      },
    },
    source: 'ShinkaEvolve (arXiv 2509.19349): patches by diff, whole file and crossover, with weights .6, .3, .1',
    published: 'several models behind endpoints',
    deviations: [
      'one model: for several, name each as an arm of `mix` with `by: thompson`; published is a bandit by UCB',
      'a tweak may be a whole file, and a rewrite edits: the answer decides',
    ],
    notBuilt: [
      'embeddings and a judge for near-copies; `near` compares the texts',
      'recommendations of a second model',
    ],
  },
  generalist: {
    overrides: { search: { ...ASKS, parent: 'best', context: { name: 'history', best: 5, lineage: 10 } } },
    source: `${SPECIALISTS}: one generalist, with the lineage`,
    published: 'a coding agent; 200 trials',
    deviations: ['a claim needs the gate; published is any better score'],
    notBuilt: ['tools for the model'],
  },
  generic: {
    overrides: {
      search: {
        parent: 'best',
        update: 'none',
        context: { name: 'history', best: 5, lineage: 10 },
        proposer: { name: 'mix', by: 'schedule', arms: GENERIC },
      },
    },
    source: `${SPECIALISTS}: ten agents without a partition, in turn`,
    published: 'coding agents; 200 trials',
    deviations: ['the ten share one model and one lineage, and differ in their names alone'],
    notBuilt: ['tools for the models'],
  },
  memory: {
    overrides: { search: { ...ASKS, parent: 'lead', context: { name: 'history', best: 5, memory: true } } },
    source: 'research loops whose model keeps notes over all trials',
    published: 'coding agents with a file of notes',
    deviations: ['the memory is one text of at most 16 KiB, which an answer replaces'],
    notBuilt: [],
  },
};
