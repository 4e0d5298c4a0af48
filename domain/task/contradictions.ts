import { cleanText } from '../json/clean-text.ts';
import { knobSettings } from './contradictions/knobs.ts';
import { llmProblems, modelSettingsProblems } from './contradictions/llm-problems.ts';
import { learningProblems } from './contradictions/learning-problems.ts';
import { mixtureProblems } from './contradictions/mixture-problems.ts';
import { metricProblems } from './contradictions/metric-problems.ts';
import { parentProblems } from './contradictions/parent-problems.ts';
import { evaluatorProblems } from './contradictions/evaluator-problems.ts';
import { pathProblems } from './contradictions/path-problems.ts';
import { runProblems } from './contradictions/run-problems.ts';
import { searchProblems } from './contradictions/search-problems.ts';
import { pathText, type Problem, describeValue } from '../issue/problem.ts';
import type { Task } from './task.ts';

/** Problems of a task that fits the schema: contradictions, and requests for features that do not exist. */
export function contradictions(task: Task): Problem[] {
  const ofMixture = mixtureProblems(task);
  // Facts about a mixture come from its members, so that these checks need a valid mixture.
  const searchChecks =
    ofMixture.length === 0 ? [searchProblems, learningProblems, parentProblems, modelSettingsProblems] : [];
  const checks = [
    pathProblems,
    runProblems,
    metricProblems,
    evaluatorProblems,
    ...searchChecks,
    knobSettings,
    llmProblems,
  ];
  const problems = [...ofMixture, ...checks.flatMap((check) => check(task))];
  const reported = new Set(problems.map(({ path }) => pathText(path)));
  return [...problems, ...textProblems(task, []).filter(({ path }) => !reported.has(pathText(path)))];
}

/** Problems of texts and keys that the database cannot store. */
function textProblems(value: unknown, path: Problem['path']): Problem[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [textProblem(path, value)];
  if (Array.isArray(value)) return value.flatMap((inner, index) => textProblems(inner, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isStorable(key) ? textProblems(inner, [...path, key]) : [textProblem(path, key)],
  );
}

const isStorable = (text: string): boolean => cleanText(text) === text;

const textProblem = (path: Problem['path'], text: string): Problem => ({
  path,
  expected: 'text without NUL characters and without halves of surrogate pairs',
  got: describeValue(text),
  todo: 'remove them',
});
