import { cleanText } from '../../clean-text.ts';
import { type Problem, shown } from '../issue.ts';
import type { Task } from '../task.ts';

/** Texts that the database cannot hold, keys too. */
export const texts = (task: Task): Problem[] => problemsOf(task, []);

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
