import { describe, expect, it } from 'vitest';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { pathText } from '../../../domain/issue/problem.ts';
import type { z } from 'zod';
import type { Knob } from '../../../domain/knob/knob.ts';
import { Task, type TaskInput } from '../../../domain/task/task.ts';

const GOOD: TaskInput = {
  name: 'tiny',
  description: 'a tiny task',
  mutable: ['main.js'],
  run: { command: 'node main.js', budget: { seconds: 2 }, artefacts: [{ path: 'out.json' }] },
  metric: { name: 'loss', direction: 'minimize' },
  evaluator: { type: 'artefact', command: 'node score.js' },
};
const run = GOOD.run;
const metric = GOOD.metric;
const none = { evaluator: { type: 'none' } } as const;
const stdout = { ...none, metric: { ...metric, from: 'stdout' } } as const;
const float: Extract<z.input<typeof Knob>, { range: unknown }> = {
  file: 'main.js',
  name: 'RATE',
  type: 'float',
  range: [0.1, 1],
};

/** Each problem as one line. */
function problems(change: Partial<TaskInput>): string[] {
  return contradictions(Task.parse({ ...GOOD, ...change })).map(
    ({ path, says, expected, got, todo }) =>
      `${pathText(path)}: ${says ?? `expected ${expected}, got ${got}; ${todo}`}`,
  );
}

describe('contradictions', () => {
  it('finds texts that the database cannot hold, keys too', () => {
    expect(problems({ description: 'a\0b', run: { ...run, command: 'sh \ud800', env: { A: '\0' } } })).toEqual([
      expect.stringMatching(
        /^description: expected text without NUL characters.*got the text "a\\u0000b"; remove them$/,
      ),
      expect.stringMatching(/^run\.command: expected text without/),
      expect.stringMatching(/^run\.env\.A: /),
    ]);
    expect(problems({ description: 'ü 😀 \n\t' })).toEqual([]);
  });

  it('finds none in a good task, whatever the source of its metric', () => {
    expect(problems({})).toEqual([]);
    expect(problems(stdout)).toEqual([]);
    expect(problems({ secondary: [{ name: 'x', min: 1, max: 1 }] })).toEqual([]);
    expect(problems({ evaluator: { type: 'interactive', command: 'a', answer: 'b' } })).toEqual([]);
  });

  const cases: [string, Partial<TaskInput>, string][] = [
    [
      'a grace of hours',
      { run: { ...run, graceSeconds: 3601 } },
      'run.graceSeconds: expected at most 3600 seconds, for which a stopped run may hold its slot, ' +
        'got the number 3601; lower it',
    ],
    [
      'abort without progress',
      { search: { abort: 'median' } },
      'search.abort: expected none, since Perpetua cannot read how far a run is, got median, without progress; ' +
        'describe under progress how the lines of a run are read, or remove search.abort',
    ],
    [
      'abort by a clock that nobody sees',
      {
        run: { command: 'node a.js', budget: { seconds: 3, kind: 'reference' }, artefacts: [{ path: 'a' }] },
        progress: { pattern: '(?<step>1) (?<value>2)' },
        search: { abort: 'asha' },
      },
      'search.abort: expected none, since Perpetua cannot read how far a run is, ' +
        'got asha, with run.budget.kind reference; ' +
        'print the share of the budget (a group named share, or progress.share), or set progress.steps',
    ],
    [
      'evaluator metric without evaluator',
      none,
      'metric.from: expected an evaluator that gives the metric, got evaluator.type none; ' +
        'set metric.from: stdout, which marks every trial untrusted, or write an evaluator',
    ],
    [
      'stdout metric with evaluator',
      { metric: { ...metric, from: 'stdout' } },
      'metric.from: expected one source for the metric, got stdout together with an evaluator of type artefact; ' +
        'set metric.from: evaluator, or evaluator.type: none',
    ],
    [
      'reversed bounds',
      { metric: { ...metric, min: 2, max: 2 } },
      'metric.min: expected less than max, 2, got the number 2; lower min or raise max',
    ],
    [
      'reversed secondary bounds',
      { secondary: [{ name: 'x', min: 3, max: 1 }] },
      'secondary[0].min: expected less than max, 1, got the number 3; lower min or raise max',
    ],
    [
      'an optimum out of bounds',
      { metric: { ...metric, min: 1, optimum: 0 } },
      'metric.optimum: expected a value within the bounds 1 to Infinity, got the number 0; ' +
        'widen the bounds or correct the optimum',
    ],
    [
      'a secondary metric twice',
      { secondary: [{ name: 'loss' }] },
      'secondary[0].name: expected a name of its own, got the text "loss" again; rename or remove it',
    ],
    [
      'a secondary metric that nothing reads',
      { ...stdout, run: { ...run, artefacts: [] }, secondary: [{ name: 'speed' }] },
      'secondary: expected none, since only the metric is read from the output (metric.from: stdout), ' +
        'got a list of 1; remove it, show it as a curve (progress), or write an evaluator that reports it',
    ],
    [
      'a pattern for an evaluator',
      { metric: { ...metric, pattern: '(?<value>.*)' } },
      'metric.pattern: expected no pattern, since the evaluator gives the metric, got the text "(?<value>.*)"; ' +
        'remove it, or put it under progress to draw curves',
    ],
    [
      'a pattern that does not compile',
      { ...stdout, metric: { ...stdout.metric, pattern: '(?<value>' } },
      'metric.pattern: expected a JavaScript regular expression with the named group value, ' +
        'got the text "(?<value>": Invalid regular expression: /(?<value>/: Unterminated group; write (?<value>…); ' +
        'in YAML put it in single quotes',
    ],
    [
      'a pattern without its group',
      { ...stdout, metric: { ...stdout.metric, pattern: 'loss (.*)' } },
      'metric.pattern: expected a JavaScript regular expression with the named group value, ' +
        'got the text "loss (.*)": no named group (?<value>…); write (?<value>…); in YAML put it in single quotes',
    ],
    [
      'a group of Python',
      { ...stdout, metric: { ...stdout.metric, pattern: '(?P<value>.*)' } },
      'metric.pattern: expected a JavaScript regular expression with the named group value, ' +
        'got the text "(?P<value>.*)": Invalid regular expression: /(?P<value>.*)/: Invalid group; ' +
        'write (?<value>…); in YAML put it in single quotes',
    ],
    [
      'a pattern beside json',
      { ...stdout, metric: { ...stdout.metric, format: 'json', pattern: '(?<value>.*)' } },
      'metric.pattern: expected no pattern, since format is json, got the text "(?<value>.*)"; remove one of the two',
    ],
    [
      'progress without pattern',
      { progress: {} },
      'progress.pattern: expected a regular expression with the named groups step and value, got nothing; ' +
        "add one, such as 'step (?<step>\\d+) loss (?<value>\\S+)', or set progress.format: json",
    ],
    [
      'growing progress that may not grow',
      { progress: { pattern: 'e (?<step>.*) a (?<value>.*)', direction: 'maximize', divergeFactor: 2 } },
      'progress.divergeFactor: expected nothing, since it ends runs whose loss grows, ' +
        'and progress.direction is maximize, got the number 2; remove it: search.abort (matched-time) ' +
        'judges a run whose score collapses, and a run that prints nan ends at once; ' +
        'or print the loss instead of the score',
    ],
    [
      'progress without step',
      { progress: { pattern: '(?<value>.*)' } },
      'progress.pattern: expected a JavaScript regular expression with the named groups step and value, ' +
        'got the text "(?<value>.*)": no named group (?<step>…); write (?<step>…) and (?<value>…); ' +
        'in YAML put it in single quotes',
    ],
    [
      'a stall that never acts',
      { progress: { format: 'json', stallSeconds: 34 } },
      "progress.stallSeconds: expected less than the run's time limit, 34 seconds, got the number 34; " +
        'lower it: the time limit would always end the run first',
    ],
    [
      'a limit below the budget',
      { run: { ...run, timeoutSeconds: 1 } },
      'run.timeoutSeconds: expected at least run.budget.seconds, 2, got the number 1; ' +
        'raise it or leave it out (default: 2 × budget + 30)',
    ],
    ...[
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'GEMINI_API_KEY',
      'DATABASE_URL',
      'TEMPORAL_API_KEY',
      'temporal_address',
      'PERPETUA_SEED',
      'SSH_AUTH_SOCK',
    ].map((name): [string, Partial<TaskInput>, string] => [
      `${name} passed to the run`,
      { run: { ...run, passEnv: [name] } },
      `run.passEnv[0]: expected a name that Perpetua does not reserve, got the text "${name}"; ` +
        'Perpetua sets it itself, or keeps it from runs; remove it',
    ]),
    [
      'a platform name set',
      { run: { ...run, env: { PERPETUA_SEED: '1' } } },
      'run.env.PERPETUA_SEED: expected a name that Perpetua does not reserve, got the text "PERPETUA_SEED"; ' +
        'Perpetua sets it itself, or keeps it from runs; remove it',
    ],
    [
      'a name set and passed',
      { run: { ...run, env: { A: '1' }, passEnv: ['A'] } },
      'run.passEnv[0]: expected a name that run.env does not set, got the text "A"; keep one of the two',
    ],
    [
      'no artefacts',
      { run: { ...run, artefacts: [] } },
      'run.artefacts: expected at least one artefact, since evaluator.type is artefact, got an empty list; ' +
        'name the files that the run leaves behind and the evaluator reads',
    ],
    [
      'an artefact twice',
      { run: { ...run, artefacts: [{ path: 'a' }, { path: 'a' }] } },
      'run.artefacts[1].path: expected each artefact once, got the text "a"; remove the second',
    ],
    [
      'an artefact larger than the disk',
      { run: { ...run, artefacts: [{ path: 'a', maxMb: 2000 }] } },
      'run.artefacts[0].maxMb: expected at most run.resources.diskMb, 1024, got the number 2000; ' +
        'lower it or raise diskMb',
    ],
    [
      'random without knobs',
      { search: { proposer: 'random' } },
      'search.proposer: expected knobs, since the proposer random sets them, got no knobs; ' +
        'list knobs (file, name, type, range), or set search.proposer: command or llm or replay',
    ],
    [
      'a policy that sets knobs without any',
      { search: { proposer: { name: 'policy' } } },
      'search.proposer: expected knobs, since the proposer policy sets them, got no knobs; ' +
        'list knobs (file, name, type, range), or set search.proposer: command or llm or replay',
    ],
    [
      'repeats with the noise gate',
      { repeats: 3 },
      'repeats: expected 1, since keep.policy noise-gated repeats promising candidates by itself, got the number 3; ' +
        'remove repeats, or set keep.policy: strict',
    ],
    [
      'a baseline of one run',
      { keep: { baselineRuns: 1 } },
      'keep.baselineRuns: expected at least 2, since keep.policy noise-gated measures the noise on the baseline ' +
        '(default: 10), got the number 1; raise it, or set keep.policy: strict',
    ],
    [
      'trials that never count',
      { budget: { trials: 3, counts: [] } },
      'budget.counts: expected at least one kind of trial, since budget.trials is set, got an empty list; ' +
        'remove counts (default: search, injected) or trials',
    ],
    [
      'a reversed range',
      { knobs: [{ ...float, range: [1, 0.1] }] },
      'knobs[0].range: expected the smaller number first, got [1, 0.1]; swap the two numbers',
    ],
    [
      'a log scale from zero',
      { knobs: [{ ...float, range: [0, 1], scale: 'log' }] },
      'knobs[0].range: expected both ends above 0, since scale is log, got [0, 1]; raise the lower end',
    ],
    [
      'a fractional int',
      { knobs: [{ ...float, type: 'int', range: [0.5, 2] }] },
      'knobs[0].range: expected whole numbers, since type is int, got [0.5, 2]; round them or set type: float',
    ],
    [
      'a knob twice',
      { knobs: [float, float] },
      'knobs[1].name: expected each knob once, got the text "RATE" in main.js again; remove the second',
    ],
    [
      'a choice twice',
      { knobs: [{ file: 'main.js', name: 'K', type: 'choice', values: ['a', 'b', 'a'] }] },
      'knobs[0].values[2]: expected each value once, got the text "a" again; remove the second',
    ],
    [
      'a round longer than the evaluation',
      { evaluator: { type: 'interactive', command: 'a', answer: 'b', roundSeconds: 200 } },
      'evaluator.roundSeconds: expected at most evaluator.timeoutSeconds, 120, got the number 200; lower it',
    ],
    [
      'a line longer than the whole',
      { evaluator: { type: 'interactive', command: 'a', answer: 'b', totalMb: 0.5 } },
      'evaluator.lineKb: expected at most evaluator.totalMb, 0.5 MiB, got the number 1024; lower it',
    ],
  ];
  it.each(cases)('are reported with the fix: %s', (_name, change, message) => {
    expect(problems(change)).toEqual([message]);
  });
});
