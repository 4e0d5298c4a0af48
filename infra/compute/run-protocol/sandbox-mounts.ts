import { SYSTEM_FOLDERS } from './spec.ts';

/** What lies at a path of the host. */
export interface PathInfo {
  /** Without links; undefined where nothing is. */
  real: string | undefined;
  /** True for a folder itself, false for a link to one. */
  folder: boolean;
}

/** Looks at paths of the host; the answers come in their order. */
export type ReadPathInfo = (paths: string[]) => Promise<PathInfo[]>;

/** A folder that the sandbox shows under `path`; what lies there is at `real`. */
export interface ShownFolder {
  path: string;
  real: string;
}

/** What one run's sandbox shows besides the system's folders, and the places in all of it that are masked. */
export async function sandboxMounts(
  look: ReadPathInfo,
  { show, hide }: { show: string[]; hide: string[] },
): Promise<{ show: string[]; hide: string[] }> {
  const shown = await shownFolders(look, show);
  const hidden = (await look(hide)).flatMap(({ real }) => real ?? []);
  return { show, hide: masksOf(shown, hidden) };
}

/** The system's folders that every sandbox of the host shows, then others that are there. */
export async function shownFolders(look: ReadPathInfo, show: string[]): Promise<ShownFolder[]> {
  const paths = [...SYSTEM_FOLDERS, ...show];
  const places = await look(paths);
  return paths.flatMap((path, index) => {
    const { real, folder } = places[index] ?? {};
    // The sandbox has links such as /bin as links: what they lead to is shown elsewhere, or not at all.
    const isLink = index < SYSTEM_FOLDERS.length && !folder && /^\/(s?bin|lib\w*)$/.test(path);
    return real === undefined || isLink ? [] : [{ path, real }];
  });
}

/** Where hidden folders would be seen; one folder may be, under several names. */
function masksOf(shown: ShownFolder[], hidden: string[]): string[] {
  const masks = shown.flatMap(({ path, real }) =>
    hidden.filter((folder) => isInside(folder, real)).map((folder) => path + folder.slice(real.length)),
  );
  return [...new Set(masks)];
}

/** True if a path is a folder, or lies in it. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
