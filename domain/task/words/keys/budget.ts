import type { KeyWords } from '../keys.ts';

/** Keys of task.yaml: limits, knobs and references. */
export const BUDGET_KEYS = {
  'budget.trials': {
    type: 'whole number',
    otherwise: 'none',
    meaning: 'trials of the kinds in `counts`; those under way count',
  },
  'budget.proposals': {
    type: 'whole number',
    otherwise: '4 × `trials` + 50',
    meaning: 'all proposals, whatever becomes of them',
  },
  'budget.hours': { type: 'number', otherwise: 'none', meaning: 'of time under way; pauses do not count' },
  'budget.slotSeconds': { type: 'number', otherwise: 'none', meaning: 'seconds on slots, of trials that have ended' },
  'budget.tokens': {
    type: 'whole number',
    otherwise: 'none',
    meaning: 'in and out; an endpoint that tells no `usage` is estimated (bytes / 3)',
  },
  'budget.usd': {
    type: 'number',
    otherwise: 'none',
    meaning: 'needs a price in `PERPETUA_PRICES`: calls without one count nothing',
  },
  'budget.counts': { type: 'list of kinds', meaning: 'of search, injected, baseline, confirm, remeasure' },
  'budget.whenSpent': { type: 'stop or wait', meaning: '`wait`: until the budget is raised' },
  knobs: { type: 'list', meaning: 'needed where the proposer is `random`' },
  'knobs[].file': { type: 'path', meaning: 'in the workspace' },
  'knobs[].name': { type: 'text', meaning: 'what the file sets, such as `LR` in `LR = 0.1`' },
  'knobs[].type': { type: 'float, int or choice', meaning: 'of the value' },
  'knobs[].range': { type: 'two numbers', meaning: 'for float and int; the value in the file must lie in it' },
  'knobs[].scale': { type: 'linear or log', meaning: 'for float and int' },
  'knobs[].values': { type: 'list of at least two', meaning: 'for choice; the value in the file must be among them' },
  references: {
    type: 'list',
    meaning: 'mean rewards that the curve of a proposer that learns is drawn against, five at most',
  },
  'references[].name': { type: 'text', meaning: 'at most 40 characters' },
  'references[].value': { type: 'number', meaning: 'the mean reward' },
} as const satisfies Record<string, KeyWords>;
