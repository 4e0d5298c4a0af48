import type { z } from 'zod';
import { pathText, sentenceOf } from '../../domain/issue/problem.ts';
import { explainIssues, type ExplainedProblem, type Written } from '../../domain/task/explain/explain-issues.ts';
import type { Locate } from './locate.ts';
import type { TaskIssue } from '../task-error.ts';

/** The file of a task: its value, the positions of its keys, and its schema. */
export interface YamlSource extends Written {
  file: string;
  locate: Locate;
}

/** Adds the position in the file to a problem. */
export function toIssue(problem: ExplainedProblem, { file, locate }: YamlSource): TaskIssue {
  const { line, column } = locate(problem.path, problem.at);
  const { expected, got, todo } = problem;
  return {
    file,
    path: pathText(problem.path),
    line,
    column,
    expected,
    got,
    todo,
    nearest: problem.nearest ?? null,
    message: sentenceOf(problem),
  };
}

/** Turns zod's issues into issues with the position, the nearest known key or value, and advice. */
export const explain = (error: z.ZodError, source: YamlSource): TaskIssue[] =>
  inOrder(explainIssues(error, source).map((problem) => toIssue(problem, source)));

/** Sorts issues by their position in the file; zod lists missing keys before unknown ones. */
export const inOrder = (issues: TaskIssue[]): TaskIssue[] =>
  issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
