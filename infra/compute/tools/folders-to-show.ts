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
  /** The whole of a Python: it may lie in the folder of a task, which is kept from runs as a whole. */
  isPrefix: boolean;
}

/**
 * Folders that a task's sandbox shows for its own PATH and `readable`: those that are there, each with what its interpreters
 * need. Throws CannotShowError where one leads to what no run may see.
 */
export async function foldersToShow(host: ToolHost, { path = [], readable = [] }: Wanted): Promise<string[]> {
  const [entries, others] = [path, readable].map((folders) => folders.filter((folder) => !isSystemPath(folder)));
  if (!entries || !others || entries.length + others.length === 0) return [];
  const wishes: Wish[] = [...(await neededBy(host, entries)), ...others.map((folder) => ({ folder, isPrefix: false }))];
  const forbidden = await forbiddenOn(host, others);
  const places = await host.readPathInfo(wishes.map(({ folder }) => folder));
  const shown = wishes.filter((wish, index) => {
    const real = places[index]?.real;
    if (real === undefined) return false;
    const why = forbidden(wish, real);
    if (why === null) return true;
    throw new CannotShowError(host.host, { folder: wish.folder, real, why, ofPath: !others.includes(wish.folder) });
  });
  return [...new Set(shown.map(({ folder }) => folder))];
}

async function neededBy(host: ToolHost, entries: string[]): Promise<Wish[]> {
  if (entries.length === 0) return [];
  return (await host.runTools(['tools_folders', ...entries])).flatMap((line): Wish[] => {
    const [, word, folder = ''] = /^(folder|prefix) (\/.*)$/.exec(line) ?? [];
    if (word === undefined || isSystemPath(folder)) return [];
    // A prefix is shown whole, unless that alone is too much.
    if (word === 'prefix' && sandboxFolderProblem(folder) === null) return [{ folder, isPrefix: true }];
    return [{ folder: word === 'prefix' ? `${folder}/bin` : prefixOf(folder), isPrefix: false }];
  });
}

/** Tells why a folder may not be shown there, by where it really lies; null where it may. */
async function forbiddenOn(host: ToolHost, readable: string[]): Promise<(wish: Wish, real: string) => string | null> {
  const kinds = await host.runTools(['tools_kinds', ...readable]);
  const home = kinds.flatMap((line) => /^home (\/.+)$/.exec(line)?.[1] ?? []);
  const [own, masked, homes] = await Promise.all(
    [await host.ownHome(), await host.masked(), home].map(async (folders) =>
      (await host.readPathInfo(folders)).flatMap(({ real }) => real ?? []),
    ),
  );
  const liesIn = (real: string, folders: string[] = []): boolean => folders.some((folder) => isInside(real, folder));
  return ({ folder, isPrefix }, real) => {
    if (kinds.includes(`file ${folder}`)) return 'it is a file';
    const problem = sandboxFolderProblem(folder) ?? (isSystemPath(real) ? null : sandboxFolderProblem(real));
    if (problem !== null) return problem;
    if (homes?.some((one) => isInside(one, real))) return 'it holds the home of its user';
    return liesIn(real, isPrefix ? own : masked) ? 'Perpetua keeps it from runs' : null;
  };
}
