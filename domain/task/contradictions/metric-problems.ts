import { type Problem, describeValue } from '../../issue/problem.ts';
import type { Task } from '../task.ts';
import { curveDirection } from './curve-direction.ts';

/** Contradictions among metric, secondary metrics, progress and evaluator. */
export function metricProblems(task: Task): Problem[] {
  return [
    ...source(task),
    ...bounds(task),
    ...names(task),
    ...neverRead(task),
    ...patterns(task),
    ...curveDirection(task),
    ...interactive(task),
  ];
}

function source({ metric, evaluator }: Task): Problem[] {
  if (metric.from === 'evaluator' && evaluator.type === 'none')
    return [
      {
        path: ['metric', 'from'],
        expected: 'an evaluator that gives the metric',
        got: 'evaluator.type none',
        todo: 'set metric.from: stdout, which marks every trial untrusted, or write an evaluator',
      },
    ];
  if (metric.from === 'stdout' && evaluator.type !== 'none')
    return [
      {
        path: ['metric', 'from'],
        expected: 'one source for the metric',
        got: `stdout together with an evaluator of type ${evaluator.type}`,
        todo: 'set metric.from: evaluator, or evaluator.type: none',
      },
    ];
  return [];
}

function bounds({ metric, secondary }: Task): Problem[] {
  const ranges = [{ at: ['metric'], range: metric }, ...secondary.map((range, i) => ({ at: ['secondary', i], range }))];
  const problems = ranges.flatMap(({ at, range: { min, max } }): Problem[] =>
    // A secondary number that must have one value has equal bounds.
    min === undefined || max === undefined || min < max || (min === max && at[0] === 'secondary')
      ? []
      : [
          {
            path: [...at, 'min'],
            expected: `less than max, ${max}`,
            got: describeValue(min),
            todo: 'lower min or raise max',
          },
        ],
  );
  const { optimum, min = -Infinity, max = Infinity } = metric;
  if (optimum !== undefined && min < max && (optimum < min || optimum > max))
    problems.push({
      path: ['metric', 'optimum'],
      expected: `a value within the bounds ${min} to ${max}`,
      got: describeValue(optimum),
      todo: 'widen the bounds or correct the optimum',
    });
  return problems;
}

function names({ metric, secondary }: Task): Problem[] {
  const seen = new Set([metric.name]);
  return secondary.flatMap(({ name }, i): Problem[] => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const path = ['secondary', i, 'name'];
    return [{ path, expected: 'a name of its own', got: `${describeValue(name)} again`, todo: 'rename or remove it' }];
  });
}

/** Problem of secondary metrics with `metric.from: stdout`: only the metric is read from the output. */
function neverRead({ metric, secondary }: Task): Problem[] {
  const [first] = secondary;
  if (metric.from !== 'stdout' || first === undefined) return [];
  return [
    {
      path: ['secondary'],
      expected: 'none, since only the metric is read from the output (metric.from: stdout)',
      got: describeValue(secondary.map(({ name }) => name)),
      todo: 'remove it, show it as a curve (progress), or write an evaluator that reports it',
    },
  ];
}

function patterns({ metric, progress }: Task): Problem[] {
  const problems: Problem[] = [];
  if (metric.pattern !== undefined && metric.from === 'evaluator')
    problems.push({
      path: ['metric', 'pattern'],
      expected: 'no pattern, since the evaluator gives the metric',
      got: describeValue(metric.pattern),
      todo: 'remove it, or put it under progress to draw curves',
    });
  else problems.push(...pattern(['metric'], metric, ['value']));
  if (progress) {
    problems.push(...pattern(['progress'], progress, ['step', 'value']));
    if (progress.direction === 'maximize' && progress.divergeFactor !== undefined)
      problems.push({
        path: ['progress', 'divergeFactor'],
        // No rule for falling scores exists: it is open whether a fall counts from the start or from the best value.
        expected: 'nothing, since it ends runs whose loss grows, and progress.direction is maximize',
        got: describeValue(progress.divergeFactor),
        todo:
          'remove it: search.abort (matched-time) judges a run whose score collapses, and a run that prints nan ' +
          'ends at once; or print the loss instead of the score',
      });
    if (progress.format === 'regex' && progress.pattern === undefined)
      problems.push({
        path: ['progress', 'pattern'],
        expected: 'a regular expression with the named groups step and value',
        got: 'nothing',
        todo: "add one, such as 'step (?<step>\\d+) loss (?<value>\\S+)', or set progress.format: json",
      });
  }
  return problems;
}

function pattern(
  at: string[],
  { format, pattern: text }: { format: 'regex' | 'json'; pattern?: string | undefined },
  groups: string[],
): Problem[] {
  if (text === undefined) return [];
  const path = [...at, 'pattern'];
  if (format === 'json')
    return [
      { path, expected: 'no pattern, since format is json', got: describeValue(text), todo: 'remove one of the two' },
    ];
  const why = patternProblem(text, groups);
  const named = `the named group${groups.length > 1 ? 's' : ''} ${groups.join(' and ')}`;
  const expected = `a JavaScript regular expression with ${named}`;
  const todo = `write ${groups.map((name) => `(?<${name}>…)`).join(' and ')}; in YAML put it in single quotes`;
  return why === null ? [] : [{ path, expected, got: `${describeValue(text)}: ${why}`, todo }];
}

/** The reason why a task's regular expression is rejected, or null. It must compile and have the named groups. */
function patternProblem(pattern: string, groups: readonly string[]): string | null {
  try {
    new RegExp(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const missing = groups.filter((name) => !hasGroup(pattern, name));
  return missing.length === 0 ? null : `no named group ${missing.map((name) => `(?<${name}>…)`).join(' and ')}`;
}

// The empty alternative matches any text, so that the match lists the groups of the pattern without a fitting text.
function hasGroup(pattern: string, name: string): boolean {
  const groups = new RegExp(`(?:${pattern})|`).exec('')?.groups;
  return groups !== undefined && Object.hasOwn(groups, name);
}

function interactive({ evaluator }: Task): Problem[] {
  if (evaluator.type !== 'interactive') return [];
  const problems: Problem[] = [];
  if (evaluator.roundSeconds > evaluator.timeoutSeconds)
    problems.push({
      path: ['evaluator', 'roundSeconds'],
      expected: `at most evaluator.timeoutSeconds, ${evaluator.timeoutSeconds}`,
      got: describeValue(evaluator.roundSeconds),
      todo: 'lower it',
    });
  if (evaluator.lineKb > evaluator.totalMb * 1024)
    problems.push({
      path: ['evaluator', 'lineKb'],
      expected: `at most evaluator.totalMb, ${evaluator.totalMb} MiB`,
      got: describeValue(evaluator.lineKb),
      todo: 'lower it',
    });
  return problems;
}
