import { cleanText } from '../json/clean-text.ts';
import { knobSettings } from './contradictions/knobs.ts';
import { learningProblems } from './contradictions/learning-problems.ts';
import { mixtureProblems } from './contradictions/mixture-problems.ts';
import { metricProblems } from './contradictions/metric-problems.ts';
import { pathProblems } from './contradictions/path-problems.ts';
import { runProblems } from './contradictions/run-problems.ts';
import { searchProblems } from './contradictions/search-problems.ts';
import { pathText, type Problem, describeValue } from '../issue/problem.ts';
import type { Task } from './task.ts';

/** What a task that fits the schema says against itself, or asks for although it is not built; empty where all is well. */
export function contradictions(task: Task): Problem[] {
  const unsound = mixtureProblems(task);
  // Facts about a mixture are those of its members.
  const checks = [
    pathProblems,
    runProblems,
    metricProblems,
    ...(unsound.length === 0 ? [searchProblems, learningProblems] : []),
    knobSettings,
  ];
  const problems = [...unsound, ...checks.flatMap((check) => check(task))];
  const told = new Set(problems.map(({ path }) => pathText(path)));
  return [...problems, ...texts(task).filter(({ path }) => !told.has(pathText(path)))];
}

/** Texts that the database cannot hold, keys too. */
const texts = (task: Task): Problem[] => problemsOf(task, []);

function problemsOf(value: unknown, path: Problem['path']): Problem[] {
  if (typeof value === 'string') return isSound(value) ? [] : [unsound(path, value)];
  if (Array.isArray(value)) return value.flatMap((inner, index) => problemsOf(inner, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isSound(key) ? problemsOf(inner, [...path, key]) : [unsound(path, key)],
  );
}

const isSound = (text: string): boolean => cleanText(text) === text;

const unsound = (path: Problem['path'], text: string): Problem => ({
  path,
  expected: 'text without NUL characters and without halves of surrogate pairs',
  came: describeValue(text),
  todo: 'take them out',
});
