import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listNames } from '../../files.ts';
import { CannotHideError } from '../../compute.ts';
import { SYSTEM_FOLDERS } from '../run-protocol/spec.ts';
import { isInside, shownFolders, sandboxMounts, type PathInfo } from '../run-protocol/sandbox-mounts.ts';
import type { LocalContext } from './context.ts';

type Shows = Pick<LocalContext, 'layout' | 'show' | 'hide'>;

/** Hides a folder from every later sandbox, restarts of the worker included; throws CannotHideError. */
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

/** Folders that a run's sandbox shows besides the system's, and the paths in the sandbox that it masks. */
export async function localSandboxMounts(
  context: Shows,
  folders: string[],
): Promise<{ show: string[]; hide: string[] }> {
  return sandboxMounts(readPathInfo, {
    show: [...context.show, ...folders],
    hide: await maskedFolders(context),
  });
}

/** Folders that no run may see. */
export const maskedFolders = async (context: Shows): Promise<string[]> => [
  ...context.hide,
  ...(await hiddenFolders(context)),
];

/** Number of recently read tasks whose environments are searched. */
const LATEST = 3;

/** The `bin` folders of virtual environments in and beside the folders of the tasks that were read last. */
export async function taskProgramFolders(context: Shows): Promise<string[]> {
  const folders = (await hiddenFolders(context)).slice(0, LATEST);
  return folders.flatMap((folder) =>
    [folder, dirname(folder)].flatMap((parent) => ['.venv', 'venv'].map((name) => join(parent, name, 'bin'))),
  );
}

const recordsOf = ({ layout }: Shows): string => join(layout.home, 'hidden');

/** Folders of tasks, the most recently read first. */
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

/** Reads which paths of this machine exist, without links, and which are folders. */
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
    // A path that is gone needs no mask.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
