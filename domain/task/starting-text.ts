import { listNames, MOST_NAMED } from '../text/list-names.ts';
import { shellWord } from '../text/shell-word.ts';
import { injectCommand } from '../messages/steer-commands.ts';

/** Texts of mutable files, by path. */
type Texts = Readonly<Record<string, string>>;

/** Paths of mutable files whose starting text differs in another version of a task, sorted. */
export const changedTexts = (before: Texts, after: Texts): string[] =>
  Object.keys(after)
    .filter((path) => before[path] !== after[path])
    .sort();

/** Location of a task for the person who named it. */
export interface TaskLocation {
  /** Name or path that the person gave. */
  task: string;
  /** Folder of its workspace. */
  workspace: string;
}

/**
 * Describes the new starting texts of `files`, which a research with results does not use, with the commands to try
 * them or to start from them. Undefined if no text changed.
 */
export function describeUntriedTexts(
  id: string,
  files: readonly string[],
  { task, workspace }: TaskLocation,
): string | undefined {
  if (files.length === 0) return undefined;
  const inject =
    files.length > MOST_NAMED
      ? 'inject these files, as docs/guides/steering.md shows'
      : injectCommand({ id, folder: workspace, files, hypothesis: 'the new starting text' });
  const start = `npx perpetua start ${shellWord(task)} --id ${shellWord(`${id}-2`)}`;
  return (
    `The research does not run the new starting text of ${listNames(files)} by itself. ` +
    `To try it: ${inject}. To start from it under another id: ${start}`
  );
}
