import type { z } from 'zod';
import { pathText, sentenceOf } from '../../domain/issue/problem.ts';
import { explainIssues, type ExplainedProblem, type Written } from '../../domain/task/explain/explain-issues.ts';
import type { Locate } from './locate.ts';
import type { TaskIssue } from '../task-error.ts';

/** Where a task was read from: what the file holds, where in it, and what it should be. */
export interface YamlSource extends Written {
  file: string;
  locate: Locate;
}

/** A contradiction, or a file that is not what it should be, with its place. */
export function toIssue(problem: ExplainedProblem, { file, locate }: YamlSource): TaskIssue {
  const { line, column } = locate(problem.path, problem.at);
  const { expected, came, todo } = problem;
  return {
    file,
    path: pathText(problem.path),
    line,
    column,
    expected,
    came,
    todo,
    nearest: problem.nearest ?? null,
    message: sentenceOf(problem),
  };
}

/** What zod refused, in words that name the nearest thing that is known. */
export const explain = (error: z.ZodError, source: YamlSource): TaskIssue[] =>
  inOrder(explainIssues(error, source).map((problem) => toIssue(problem, source)));

/** As they stand in the file: zod tells what is missing before what is unknown. */
export const inOrder = (issues: TaskIssue[]): TaskIssue[] =>
  issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
