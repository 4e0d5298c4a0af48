import type { KeyWords } from '../keys.ts';

/** Keys of task.yaml: how to search, stop, keep and ask a model. */
export const SEARCH_KEYS = {
  'search.parent': {
    type: 'original, lead, best',
    meaning: 'what a proposal starts from ([verdicts.md](../concepts/verdicts.md))',
  },
  'search.context': {
    type: 'none, history',
    meaning:
      'whether the proposer is told of earlier trials; `{ name: history, best: 5 }` says how many of the best stand beside the last ones',
  },
  'search.history': { type: '0 to 200', meaning: 'how many of them' },
  'search.proposer': {
    type: 'auto, llm, policy, random',
    meaning: '`auto`: `llm` where a model endpoint is set when the research starts, else `random`',
  },
  'search.window': { type: 'auto, or 1 to 1000', meaning: 'trials under way at once; `auto` follows measured times' },
  'search.specialists': { type: 'none', meaning: 'several proposers in turn: not built' },
  'search.novelty': { type: 'exact', meaning: 'the same candidate is not run twice for a search' },
  'search.abort': {
    type: 'a rule, or none',
    otherwise: '`matched-time` with `progress`, else none',
    meaning:
      'rule that stops search trials that cannot win: `matched-time`, `median`, `asha`, `power-law-sprt`, `power-law-sprt-corrected`; `{ name: asha, eta: 3 }` sets how many of those at a rung go on, the best of every 2 to 10 ([early-abort.md](../concepts/early-abort.md))',
  },
  'search.reward': {
    type: 'none, improvement, weighted-sum, rank',
    meaning:
      'what the outcome of a proposal is worth to a proposer that learns ([rewards](../guides/learning/rewards.md))',
  },
  'search.update': {
    type: 'none, grpo, ppo, sdpo',
    meaning:
      'how a proposer with weights of its own learns from the rewards of its proposals ([updates](../guides/learning/settings.md#updates))',
  },
  'abort.errorTarget': {
    type: 'above 0, at most 1/15',
    meaning:
      'largest wanted share of stops among runs that would have become incumbent; the audit holds the share of stops that would have to it, too',
  },
  'abort.burnIn': { type: '0 to below 1', meaning: 'share of the budget before which no run is stopped' },
  'abort.cadence': { type: '.005 to below 1', meaning: 'share of the budget from one look to the next' },
  'abort.audit.first': {
    type: '`auto`, 0 to 1,000,000',
    meaning: 'would-be stops that all run on to their end; `auto`: 3 up to `budget.trials` of 60, 4 up to 150, else 5',
  },
  'abort.audit.share': { type: '0 to 1', meaning: 'share of the later ones that run on, by lot' },
  'abort.carry': {
    type: '`true`, `false`',
    meaning:
      'begin with the finished curves of earlier researches of equal metric, evaluator, budget, progress rule and machines; `false` also in researches that are to be compared with each other',
  },
  'keep.policy': {
    type: 'strict or noise-gated',
    meaning: 'when a candidate becomes the incumbent ([verdicts.md](../concepts/verdicts.md))',
  },
  'keep.falseKeepsPer200': { type: 'above 0, below 1', meaning: 'expected false keeps per 200 search trials' },
  'keep.baselineRuns': {
    type: '1 to 100',
    otherwise: '10 for noise-gated, 1 for strict',
    meaning: 'runs of the unmodified version; noise-gated runs at least 3',
  },
  'llm.model': { type: 'text', otherwise: '`OPENAI_MODEL` of the worker', meaning: 'the model' },
  'llm.temperature': { type: '0 to 2', meaning: 'of the sampling' },
  'llm.maxTokens': { type: 'whole number', meaning: 'of one answer' },
  'llm.deadlineSeconds': { type: 'number', meaning: 'of one call; an hour at most' },
  'llm.attempts': { type: '1 to 10', meaning: 'answers asked for before the trial ends as `rejected`' },
  'llm.files': { type: 'list of globs', meaning: 'immutable text files of the workspace that the model is shown' },
} as const satisfies Record<string, KeyWords>;
