import type { Problem } from '../../domain/issue/problem.ts';
import type { Task } from '../../domain/task/task.ts';
import { decodeText } from '../decode-text.ts';
import { globMatcher } from './globs.ts';
import type { TaskFile } from './read-folder.ts';

interface Version {
  task: Pick<Task, 'llm' | 'evaluator'>;
  mutablePaths: readonly string[];
}

/**
 * The files of a workspace that `llm.files` shows to a model, path to text. Left out are mutable files, which are shown
 * anyway, drawn files, which differ between installations, and binary files.
 */
export function shownFiles(
  workspace: readonly Pick<TaskFile, 'path' | 'content'>[],
  { task, mutablePaths }: Version,
): Record<string, string> {
  const shown = task.llm.files.map(globMatcher);
  const omitted = new Set([...mutablePaths, ...drawnPaths(task)]);
  const texts = workspace
    .filter(({ path }) => !omitted.has(path) && shown.some((matches) => matches(path)))
    .map(({ path, content }) => [path, decodeText(content)] as const);
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => isText(entry[1])));
}

const isText = (text: string | null): boolean => text !== null && !text.includes('\0');

const drawnPaths = ({ evaluator }: Version['task']): string[] =>
  evaluator.type === 'none' ? [] : (evaluator.draws ?? []).map(({ path }) => path);

/** Problems of globs of `llm.files` that show nothing. */
export function shownProblems(workspace: readonly TaskFile[], version: Version): Problem[] {
  return version.task.llm.files.flatMap((glob, i): Problem[] => {
    const llm = { ...version.task.llm, files: [glob] };
    if (Object.keys(shownFiles(workspace, { ...version, task: { ...version.task, llm } })).length > 0) return [];
    const matched = workspace.filter(({ path }) => globMatcher(glob)(path)).map(({ path }) => path);
    const got =
      matched.length === 0 ? `${glob}, which matches none` : `${glob}, whose files are mutable, drawn or no text`;
    return [
      {
        path: ['llm', 'files', i],
        expected: 'a glob that matches immutable text files of the workspace',
        got,
        todo: 'correct the path; a model sees mutable files in any case',
      },
    ];
  });
}
