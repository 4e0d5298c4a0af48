import { sandboxFolderProblem } from '../../../domain/task/sandbox-folder-problem.ts';
import { CannotShowError, type RunSpec } from '../../compute.ts';
import { prefixOf } from '../run-protocol/environment.ts';
import { isSystemPath } from '../run-protocol/spec.ts';
import { isInside } from '../run-protocol/sandbox-mounts.ts';
import type { ToolHost } from './tool-host.ts';

type Wanted = Pick<RunSpec, 'path' | 'readable'>;

/** A folder that a sandbox would show. */
interface Wish {
  folder: string;
  /** True for the prefix of a Python. It may lie in a task's folder, which runs may not see otherwise. */
  isPrefix: boolean;
}

/**
 * Folders that a task's sandbox shows for its own PATH and `readable`: those that exist, and those that their
 * interpreters need. Throws CannotShowError if one leads to a folder that no run may see.
 */
export async function foldersToShow(host: ToolHost, { path = [], readable = [] }: Wanted): Promise<string[]> {
  const [entries, others] = [path, readable].map((folders) => folders.filter((folder) => !isSystemPath(folder)));
  if (!entries || !others || entries.length + others.length === 0) return [];
  const needed = await foldersOfPrograms(host, entries);
  const wishes: Wish[] = [...needed, ...others.map((folder) => ({ folder, isPrefix: false }))];
  const findRefusal = await refusalOn(host, others);
  const infos = await host.readPathInfo(wishes.map(({ folder }) => folder));
  const shown = wishes.filter((wish, index) => {
    const real = infos[index]?.real;
    if (real === undefined) return false;
    const why = findRefusal(wish, real);
    if (why === null) return true;
    throw new CannotShowError(host.host, { folder: wish.folder, real, why, ofPath: !others.includes(wish.folder) });
  });
  return [...new Set(shown.map(({ folder }) => folder))];
}

/** Folders that the programs of a PATH's entries need. */
async function foldersOfPrograms(host: ToolHost, entries: string[]): Promise<Wish[]> {
  if (entries.length === 0) return [];
  return (await host.runTools(['tools_folders', ...entries])).flatMap((line): Wish[] => {
    const [, word, folder = ''] = /^(folder|prefix) (\/.*)$/.exec(line) ?? [];
    if (word === undefined || isSystemPath(folder)) return [];
    // A prefix is shown as a whole, unless no sandbox may show it.
    if (word === 'prefix' && sandboxFolderProblem(folder) === null) return [{ folder, isPrefix: true }];
    return [{ folder: word === 'prefix' ? `${folder}/bin` : prefixOf(folder), isPrefix: false }];
  });
}

const HIDDEN = 'Perpetua hides its own folders and those of tasks from runs';

/** Returns a function that says why a run may not see a folder, by its path without links; null if it may. */
async function refusalOn(host: ToolHost, readable: string[]): Promise<(wish: Wish, real: string) => string | null> {
  const kinds = await host.runTools(['tools_kinds', ...readable]);
  const userHome = kinds.flatMap((line) => /^home (\/.+)$/.exec(line)?.[1] ?? []);
  const [ownHome, masked, userHomes] = await Promise.all(
    [await host.ownHome(), await host.masked(), userHome].map(async (folders) =>
      (await host.readPathInfo(folders)).flatMap(({ real }) => real ?? []),
    ),
  );
  const liesIn = (real: string, folders: string[] = []): boolean => folders.some((folder) => isInside(real, folder));
  return ({ folder, isPrefix }, real) => {
    if (kinds.includes(`file ${folder}`)) return 'it is a file';
    const problem = sandboxFolderProblem(folder) ?? (isSystemPath(real) ? null : sandboxFolderProblem(real));
    if (problem !== null) return problem;
    if (userHomes?.some((home) => isInside(home, real))) return "it contains its user's home folder";
    return liesIn(real, isPrefix ? ownHome : masked) ? HIDDEN : null;
  };
}
