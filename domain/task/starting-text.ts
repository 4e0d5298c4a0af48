import { listNames, MOST_NAMED } from '../text/list-names.ts';
import { shellWord } from '../text/shell-word.ts';
import { injectCommand } from '../messages/temporal-command.ts';

/** Mutable files by path. */
type Texts = Readonly<Record<string, string>>;

/** Mutable files that another version of a task begins with otherwise, sorted. */
export const changedTexts = (before: Texts, after: Texts): string[] =>
  Object.keys(after)
    .filter((path) => before[path] !== after[path])
    .sort();

/** Where a task lies for the person who named it. */
export interface TaskLocation {
  /** As the person named it. */
  task: string;
  /** The folder of its workspace. */
  workspace: string;
}

/**
 * That a research with results goes on from these and not from the new texts of its mutable files, with the commands that
 * try or begin with them. Undefined where no text changed.
 */
export function describeUntriedTexts(
  id: string,
  files: readonly string[],
  { task, workspace }: TaskLocation,
): string | undefined {
  if (files.length === 0) return undefined;
  const tries =
    files.length > MOST_NAMED
      ? 'inject these files, as docs/guides/steering.md shows'
      : injectCommand({ id, folder: workspace, files, hypothesis: 'the new starting text' });
  const begins = `npx perpetua start ${shellWord(task)} --id ${shellWord(`${id}-2`)}`;
  return `The new starting text of ${listNames(files)} is not run by itself. To try it: ${tries}. To begin with it under another id: ${begins}`;
}
