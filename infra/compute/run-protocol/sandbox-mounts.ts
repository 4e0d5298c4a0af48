import { SYSTEM_FOLDERS } from './spec.ts';

/** Facts about a path of the host. */
export interface PathInfo {
  /** Path without links; undefined if nothing exists there. */
  real: string | undefined;
  /** True for a folder itself, false for a link to one. */
  folder: boolean;
}

/** Reads facts about paths of the host; the results are in the order of the paths. */
export type ReadPathInfo = (paths: string[]) => Promise<PathInfo[]>;

/** A folder that the sandbox shows under `path`; `real` is its path without links. */
export interface ShownFolder {
  path: string;
  real: string;
}

/** Folders that the sandbox of a run shows besides the system's, and paths in all of them that it masks. */
export async function sandboxMounts(
  readPathInfo: ReadPathInfo,
  { show, hide }: { show: string[]; hide: string[] },
): Promise<{ show: string[]; hide: string[] }> {
  const shown = await shownFolders(readPathInfo, show);
  const hidden = (await readPathInfo(hide)).flatMap(({ real }) => real ?? []);
  return { show, hide: masksOf(shown, hidden) };
}

/** System folders that every sandbox of the host shows, then those of `show`; only folders that exist. */
export async function shownFolders(readPathInfo: ReadPathInfo, show: string[]): Promise<ShownFolder[]> {
  const paths = [...SYSTEM_FOLDERS, ...show];
  const infos = await readPathInfo(paths);
  return paths.flatMap((path, index) => {
    const { real, folder } = infos[index] ?? {};
    // The sandbox copies a link such as /bin as a link. Its target is shown under the target's path, or not at all.
    const isLink = index < SYSTEM_FOLDERS.length && !folder && /^\/(s?bin|lib\w*)$/.test(path);
    return real === undefined || isLink ? [] : [{ path, real }];
  });
}

/** Paths at which the sandbox would show a hidden folder. One folder can have several. */
function masksOf(shown: ShownFolder[], hidden: string[]): string[] {
  const masks = shown.flatMap(({ path, real }) =>
    hidden.filter((folder) => isInside(folder, real)).map((folder) => path + folder.slice(real.length)),
  );
  return [...new Set(masks)];
}

/** True if a path is the folder, or lies in it. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
