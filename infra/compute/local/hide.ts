import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../../files.ts';
import { CannotHideError } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { SYSTEM_FOLDERS } from './spec.ts';

/** A folder that the sandbox shows under `path`; what lies there is at `real`. */
interface Shown {
  path: string;
  real: string;
}

type Shows = Pick<LocalContext, 'layout' | 'show' | 'hide'>;

/** Keeps a folder out of every sandbox from now on, over restarts too; throws CannotHideError. */
export async function hideFolder(context: Shows, folder: string): Promise<void> {
  const real = await realpath(folder);
  for (const shown of [...(await systemFolders()), ...(await shownAs(context.show))])
    if (isInside(shown.real, real) && (shown.real === real || SYSTEM_FOLDERS.includes(shown.path)))
      throw new CannotHideError(
        `${folder}: expected a folder that can be hidden from runs; every run needs ${shown.path} there. ` +
          `Move it into a folder of its own`,
      );
  const records = recordsOf(context);
  const record = join(records, createHash('sha256').update(real).digest('hex').slice(0, 16));
  const temporary = `${record}.${randomUUID()}`;
  await mkdir(records, { recursive: true, mode: 0o700 });
  await writeFile(temporary, real, { mode: 0o600 });
  await rename(temporary, record);
}

/** What one run's sandbox shows besides the system's folders, and the places in all of it that are masked. */
export async function viewOf(context: Shows, data: string): Promise<{ show: string[]; hide: string[] }> {
  const show = [...context.show, data];
  const shown = [...(await systemFolders()), ...(await shownAs(show))];
  const hidden = await Promise.all([...context.hide, ...(await hiddenFolders(context))].map(realOf));
  return {
    show,
    hide: masksOf(
      shown,
      hidden.flatMap((folder) => folder ?? []),
    ),
  };
}

/** Where hidden folders would be seen; one folder may be, under several names. */
function masksOf(shown: Shown[], hidden: string[]): string[] {
  const masks = shown.flatMap(({ path, real }) =>
    hidden.filter((folder) => isInside(folder, real)).map((folder) => path + folder.slice(real.length)),
  );
  return [...new Set(masks)];
}

const recordsOf = ({ layout }: Shows): string => join(layout.home, 'hidden');

async function hiddenFolders(context: Shows): Promise<string[]> {
  const records = (await namesIn(recordsOf(context))).filter((name) => /^[0-9a-f]+$/.test(name));
  return Promise.all(records.map((name) => readFile(join(recordsOf(context), name), 'utf8')));
}

// The sandbox has links such as /bin as links: what they lead to is shown elsewhere, or not at all.
async function systemFolders(): Promise<Shown[]> {
  const there = await Promise.all(
    SYSTEM_FOLDERS.map(async (path) => {
      const info = await lstat(path).catch(() => undefined);
      return info && (info.isDirectory() || !/^\/(s?bin|lib\w*)$/.test(path)) ? [path] : [];
    }),
  );
  return shownAs(there.flat());
}

async function shownAs(paths: string[]): Promise<Shown[]> {
  const shown = await Promise.all(paths.map(async (path) => ({ path, real: await realOf(path) })));
  return shown.flatMap(({ path, real }) => (real === undefined ? [] : [{ path, real }]));
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    // What is gone needs no mask.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
