import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listNames } from '../../files.ts';
import { CannotHideError } from '../../compute.ts';
import { SYSTEM_FOLDERS } from '../run-protocol/spec.ts';
import { isInside, shownFolders, sandboxMounts as viewOn, type PathInfo } from '../run-protocol/sandbox-mounts.ts';
import type { LocalContext } from './context.ts';

type Shows = Pick<LocalContext, 'layout' | 'show' | 'hide'>;

/** Keeps a folder out of every sandbox from now on, over restarts too; throws CannotHideError. */
export async function hideFolder(context: Shows, folder: string): Promise<void> {
  const real = await realpath(folder);
  for (const shown of await shownFolders(readPathInfo, context.show))
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
export async function localSandboxMounts(
  context: Shows,
  { data, own }: { data: string; own: string[] },
): Promise<{ show: string[]; hide: string[] }> {
  return viewOn(readPathInfo, { show: [...context.show, ...own, data], hide: await maskedFolders(context) });
}

/** Folders that no run may see. */
export const maskedFolders = async (context: Shows): Promise<string[]> => [
  ...context.hide,
  ...(await hiddenFolders(context)),
];

/** Tasks that were read last, as many as a person may have in mind. */
const LATEST = 3;

/** Folders of programs in environments in and beside the tasks that were read last. */
export async function taskProgramFolders(context: Shows): Promise<string[]> {
  const folders = (await hiddenFolders(context)).slice(0, LATEST);
  return folders.flatMap((folder) =>
    [folder, dirname(folder)].flatMap((at) => ['.venv', 'venv'].map((name) => join(at, name, 'bin'))),
  );
}

const recordsOf = ({ layout }: Shows): string => join(layout.home, 'hidden');

/** Folders of tasks, those that were read last first. */
async function hiddenFolders(context: Shows): Promise<string[]> {
  const names = (await listNames(recordsOf(context))).filter((name) => /^[0-9a-f]+$/.test(name));
  const records = await Promise.all(
    names.map(async (name) => {
      const record = join(recordsOf(context), name);
      const [folder, { mtimeMs }] = await Promise.all([readFile(record, 'utf8'), stat(record)]);
      return { folder, mtimeMs };
    }),
  );
  return records.sort((a, b) => b.mtimeMs - a.mtimeMs).map(({ folder }) => folder);
}

/** Looks at paths of this machine. */
export const readPathInfo = (paths: string[]): Promise<PathInfo[]> =>
  Promise.all(
    paths.map(async (path) => ({
      real: await realOf(path),
      folder: await lstat(path).then(
        (info) => info.isDirectory(),
        () => false,
      ),
    })),
  );

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    // What is gone needs no mask.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
