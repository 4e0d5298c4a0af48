import { abortOf } from '../../abort/table.ts';
import type { Problem } from '../../issue/problem.ts';
import type { Task } from '../task.ts';

/** Default of `progress.value`. */
const USUAL_NAME = 'loss';

/** Curves that would be read the wrong way round, or may be, since nobody said which values are better; who says it is believed. */
export function curveDirection(task: Task): Problem[] {
  const { metric, progress, search } = task;
  if (!progress || progress.direction !== undefined || metric.direction === 'minimize') return [];
  const why = printsMetric(task);
  const asked = search.abort === undefined ? null : abortOf(search.abort);
  const rule = asked?.method.takesCurveForMetric ? asked.name : null;
  if (why === null && rule === null) return [];
  const reason = why ?? `${metric.name} is to be maximized and ${rule} believes whatever curves look better`;
  return [
    {
      path: ['progress', 'direction'],
      expected: `minimize or maximize, since ${reason}`,
      came: 'nothing, which is minimize',
      todo: 'say which of the printed values are better',
    },
  ];
}

/** Why the progress lines seem to carry the metric itself; null where nothing says so. */
function printsMetric({ metric, progress }: Task): string | null {
  const score = metric.from === 'stdout' && metric.format === 'regex' ? labelOf(metric.pattern) : null;
  const names = [metric.name, ...(score === null ? [] : [score])];
  const named = names.find((name) => printedNames(progress).some((printed) => isSame(name, printed)));
  return named === undefined ? null : `progress lines seem to carry ${named}, which is to be maximized`;
}

/** What the values of progress lines are called. Of a pattern the name of the curve says little while it is the usual one. */
function printedNames(progress: Task['progress']): string[] {
  if (!progress) return [];
  const { format, pattern, value } = progress;
  const label = format === 'regex' ? labelOf(pattern) : null;
  return label === null ? [value] : value === USUAL_NAME ? [label] : [label, value];
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The last word that a pattern has before its group `value`, which is what the value is called; null without one. */
function labelOf(pattern: string | undefined): string | null {
  const [before, ...after] = (pattern ?? '').split('(?<value>');
  if (before === undefined || after.length === 0) return null;
  const literal = before.replaceAll(/\\[A-Za-z]|\(\?<\w+>/g, ' ').replaceAll(/\\(.)/g, '$1');
  return /(\w[\w.-]*)\W*$/.exec(literal)?.[1] ?? null;
}
