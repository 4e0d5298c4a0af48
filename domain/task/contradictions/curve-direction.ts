import { abortOf } from '../../abort/table.ts';
import type { Problem } from '../../issue/problem.ts';
import type { Task } from '../task.ts';

/** Default of `progress.value`. */
const DEFAULT_NAME = 'loss';

/**
 * Problem of a maximized metric without `progress.direction`: its curves are, or may be, read in the wrong direction. A
 * task with `progress.direction` has no such problem.
 */
export function curveDirection(task: Task): Problem[] {
  const { metric, progress, search } = task;
  if (!progress || progress.direction !== undefined || metric.direction === 'minimize') return [];
  const why = printsMetric(task);
  const asked = search.abort === undefined ? null : abortOf(search.abort);
  const rule = asked?.method.takesCurveForMetric ? asked.name : null;
  if (why === null && rule === null) return [];
  const reason = why ?? `${metric.name} is to be maximized and ${rule} keeps the runs whose curves look better`;
  return [
    {
      path: ['progress', 'direction'],
      expected: `minimize or maximize, since ${reason}`,
      got: 'nothing, which is minimize',
      todo: 'set it to the direction in which the printed values improve',
    },
  ];
}

/** The reason to believe that progress lines contain the metric itself; null if there is none. */
function printsMetric({ metric, progress }: Task): string | null {
  const score = metric.from === 'stdout' && metric.format === 'regex' ? labelOf(metric.pattern) : null;
  const names = score === null ? [metric.name] : [metric.name, score];
  const named = names.find((name) => printedNames(progress).some((printed) => isSame(name, printed)));
  return named === undefined ? null : `progress lines seem to carry ${named}, which is to be maximized`;
}

/** Names of the values in progress lines. If a pattern gives a name, the default name of the curve is ignored. */
function printedNames(progress: Task['progress']): string[] {
  if (!progress) return [];
  const { format, pattern, value } = progress;
  const label = format === 'regex' ? labelOf(pattern) : null;
  if (label === null) return [value];
  return value === DEFAULT_NAME ? [label] : [label, value];
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The last word of a pattern before its group `value`: the name of the value. Null if there is none. */
function labelOf(pattern: string | undefined): string | null {
  const [before, ...after] = (pattern ?? '').split('(?<value>');
  if (before === undefined || after.length === 0) return null;
  const literal = before.replaceAll(/\\[A-Za-z]|\(\?<\w+>/g, ' ').replaceAll(/\\(.)/g, '$1');
  return /(\w[\w.-]*)\W*$/.exec(literal)?.[1] ?? null;
}
