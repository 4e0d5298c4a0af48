import type { KeyWords } from '../keys.ts';

/** Keys of task.yaml: how a run is measured and scored. */
export const SCORING_KEYS = {
  'metric.name': { type: 'text', meaning: 'the key that the evaluator reports' },
  'metric.direction': { type: 'minimize or maximize', meaning: 'what is better' },
  'metric.min': {
    type: 'number',
    otherwise: 'none',
    meaning: 'lower bound; a value below it is a failure, never a win',
  },
  'metric.max': { type: 'number', otherwise: 'none', meaning: 'upper bound, likewise' },
  'metric.minDelta': { type: 'number', meaning: 'smaller gains are no gains' },
  'metric.unit': { type: 'text', otherwise: 'none', meaning: 'shown behind values' },
  'metric.optimum': {
    type: 'number',
    otherwise: 'none',
    meaning: 'best possible value, where known; the proposer is told',
  },
  'metric.from': {
    type: 'evaluator or stdout',
    meaning: '`stdout` needs `evaluator.type: none`; every trial is then untrusted',
  },
  'metric.format': { type: 'regex or json', meaning: 'how it is read from stdout' },
  'metric.pattern': {
    type: 'regular expression',
    otherwise: '`name: number` on a line',
    meaning: 'only with `from: stdout` and `format: regex`; with the named group `value`',
  },
  secondary: {
    type: 'list',
    meaning: 'further numbers of the evaluator that have bounds; none where metric.from is stdout',
  },
  'secondary[].name': { type: 'text', meaning: 'the key that the evaluator reports' },
  'secondary[].direction': {
    type: 'minimize or maximize',
    otherwise: 'none',
    meaning: 'for readers; nothing is decided by it',
  },
  'secondary[].min': { type: 'number', otherwise: 'none', meaning: 'below it the trial failed' },
  'secondary[].max': { type: 'number', otherwise: 'none', meaning: 'above it the trial failed' },
  repeats: {
    type: '1 to 32',
    meaning: 'seeds whose mean a search candidate is judged by; only with `keep.policy: strict`',
  },
  'progress.format': { type: 'regex or json', meaning: 'json: a line that is one JSON object' },
  'progress.pattern': {
    type: 'regular expression',
    otherwise: 'none',
    meaning: 'with the named groups `step` and `value`; needed with `regex`',
  },
  'progress.step': { type: 'text', meaning: 'JSON key of the step' },
  'progress.value': { type: 'text', meaning: 'JSON key of the value, and its name in messages' },
  'progress.share': {
    type: 'text',
    otherwise: 'none',
    meaning: 'JSON key of the share of the budget that is spent, 0 to 1; with `regex` the named group `share`',
  },
  'progress.direction': {
    type: 'minimize, maximize',
    otherwise: 'minimize',
    meaning: 'which values of a curve are better, whatever the metric is; of an accuracy `maximize`',
  },
  'progress.steps': {
    type: 'number',
    otherwise: 'none',
    meaning: 'step at which a run ends, where its budget is a number of steps',
  },
  'progress.stallSeconds': {
    type: 'number',
    otherwise: 'none',
    meaning: 'no line for so long ends the run as `stalled`; counted while somebody looks, at most 3 s for each look',
  },
  'progress.divergeFactor': {
    type: 'number above 1',
    otherwise: 'none',
    meaning: '3 values in a row above the first one times this end the run as `diverged`',
  },
  'evaluator.draws': { type: 'list', otherwise: 'none', meaning: 'of `artefact` and `interactive`' },
  'evaluator.draws[].path': { type: 'path', meaning: 'an immutable file of the workspace' },
  'evaluator.draws[].command': {
    type: 'text',
    meaning: 'passed to `sh -c`; within `evaluator.timeoutSeconds`, else `setup-failed`',
  },
  'evaluator.type': {
    type: 'none, artefact or interactive',
    meaning:
      'how a run is scored; `artefact` and `interactive` need a program in `evaluator.files`, `none` reads stdout',
  },
  'evaluator.command': { type: 'text', meaning: 'the evaluator, passed to `sh -c`' },
  'evaluator.files': { type: 'path', meaning: 'folder of the evaluator, outside the workspace' },
  'evaluator.timeoutSeconds': {
    type: 'number',
    meaning: 'of the evaluator, with its whole conversation; then it is ended: `evaluator-timeout`; a day at most',
  },
  'evaluator.answer': {
    type: 'text',
    meaning: "the candidate's program that answers, passed to `sh -c` in that folder",
  },
  'evaluator.roundSeconds': { type: 'number', meaning: 'longest silence of the candidate while it owes an answer' },
  'evaluator.lineKb': { type: 'number', meaning: 'longest line of an answer' },
  'evaluator.totalMb': { type: 'number', meaning: 'all answers together' },
  'evaluator.cpuSeconds': {
    type: 'number',
    otherwise: 'no limit',
    meaning: 'CPU seconds of `answer` alone: `cpu-time`; in any case what its run had left',
  },
} as const satisfies Record<string, KeyWords>;
