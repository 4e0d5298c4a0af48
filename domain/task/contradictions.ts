import { cleanText } from '../json/clean-text.ts';
import { knobSettings } from './contradictions/knobs.ts';
import { learning } from './contradictions/learning.ts';
import { members } from './contradictions/members.ts';
import { measuring } from './contradictions/measuring.ts';
import { paths } from './contradictions/paths.ts';
import { running } from './contradictions/running.ts';
import { searching } from './contradictions/searching.ts';
import { pathText, type Problem, shown } from '../issue/problem.ts';
import type { Task } from './task.ts';

/** What a task that fits the schema says against itself, or asks for although it is not built; empty where all is well. */
export function contradictions(task: Task): Problem[] {
  const unsound = members(task);
  // Facts about a mixture are those of its members.
  const checks = [paths, running, measuring, ...(unsound.length === 0 ? [searching, learning] : []), knobSettings];
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
  came: shown(text),
  todo: 'take them out',
});
