import { shownProblem } from '../../../domain/task/shown-folder.ts';
import { CannotShowError, type RunSpec } from '../../compute.ts';
import { prefixOf } from '../run-protocol/environment.ts';
import { isSystemPath } from '../run-protocol/spec.ts';
import { isInside } from '../run-protocol/view.ts';
import type { ToolHost } from './tool-host.ts';

type Wanted = Pick<RunSpec, 'path' | 'readable'>;

/**
 * Folders that a task's sandbox shows for its own PATH and `readable`: those that are there, each with what its interpreters
 * need. Throws CannotShowError where one leads to what no run may see.
 */
export async function ownFolders(host: ToolHost, { path = [], readable = [] }: Wanted): Promise<string[]> {
  if (path.length + readable.length === 0) return [];
  const entries = path.filter((entry) => !isSystemPath(entry));
  const lines = await host.ask(['tools_folders', ...entries]);
  const [, home] = /^home (\/.+)$/.exec(lines[0] ?? '') ?? [];
  const needed = lines.flatMap((line) => folderIn(line) ?? []);
  const all = [...new Set([...needed, ...readable])].filter((folder) => !isSystemPath(folder));
  const places = await host.look(all);
  const masked = (await host.look(await host.masked())).flatMap(({ real }) => real ?? []);
  const [of] = home === undefined ? [] : await host.look([home]);
  return all.filter((folder, index) => {
    const real = places[index]?.real;
    if (real === undefined) return false;
    const why =
      shownProblem(folder) ??
      (isSystemPath(real) ? null : shownProblem(real)) ??
      (of?.real !== undefined && isInside(of.real, real) ? 'it holds the home of its user' : null) ??
      (masked.some((hidden) => isInside(real, hidden)) ? 'Perpetua keeps it from runs' : null);
    if (why !== null) throw new CannotShowError(host.host, { folder, real, why, ofPath: !readable.includes(folder) });
    return true;
  });
}

/** The folder of a line; what is a prefix is shown whole unless that alone is too much. */
function folderIn(line: string): string | null {
  const [, word, folder = ''] = /^(folder|prefix) (\/.*)$/.exec(line) ?? [];
  if (word === undefined || isSystemPath(folder)) return null;
  if (word === 'prefix') return shownProblem(folder) === null ? folder : `${folder}/bin`;
  return prefixOf(folder);
}
