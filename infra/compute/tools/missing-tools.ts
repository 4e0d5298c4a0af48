import { asksNothing, type ToolNeeds } from '../../../domain/tools/needs.ts';
import { CannotShowError } from '../../compute.ts';
import { findUnreadable } from './locate-missing.ts';
import { foldersToShow } from './folders-to-show.ts';
import type { ToolHost } from './tool-host.ts';
import { missingRequirements } from './missing-requirements.ts';

/** For so long a host is not asked again for what it had, in ms: a launch may follow another within the second. */
const KEPT_MS = 60_000;

/** Remembers for a while what a host had. */
export function createMissingToolsCheck(host: ToolHost): (needs: ToolNeeds) => Promise<string[]> {
  const had = new Map<string, number>();
  return async (needs) => {
    if (asksNothing(needs)) return [];
    const key = JSON.stringify(needs);
    if ((had.get(key) ?? 0) > Date.now()) return [];
    const lacking = await lacksOn(host, needs);
    if (lacking.length === 0) had.set(key, Date.now() + KEPT_MS);
    return lacking;
  };
}

/** What a task names and its host does not have, or may not show: a sentence for each, with the key, what came, and what to do. */
async function lacksOn(host: ToolHost, needs: ToolNeeds): Promise<string[]> {
  const absent = await absentFolders(host, needs);
  const { shown, refused } = await foldersToShow(host, needs).then(
    (folders) => ({ shown: folders, refused: [] }),
    (error: unknown) => {
      if (error instanceof CannotShowError) return { shown: [], refused: [error.message] };
      throw error;
    },
  );
  const folders = [...absent, ...refused, ...(await closedFolders(host, shown))];
  // Without its folders nothing there tells of a program.
  return folders.length > 0 ? folders : missingRequirements(host, needs);
}

async function absentFolders(host: ToolHost, { path, readable }: ToolNeeds): Promise<string[]> {
  const named = [...path, ...readable];
  if (named.length === 0) return [];
  const kinds = await host.runTools(['tools_kinds', ...named]);
  const isThere = (folder: string): boolean => kinds.includes(`folder ${folder}`);
  const words = (key: string, folder: string): string =>
    `run.${key}: expected the folder ${folder} on host ${host.host}, came ${kinds.includes(`file ${folder}`) ? 'a file' : 'nothing'}; correct it, or make it there`;
  return [
    ...path.filter((folder) => !isThere(folder)).map((folder) => words('path', folder)),
    ...readable.filter((folder) => !isThere(folder)).map((folder) => words('readable', folder)),
  ];
}

/** A Python that an environment was made from may be closed where the environment is not. */
async function closedFolders(host: ToolHost, shown: string[]): Promise<string[]> {
  const words: string[] = [];
  for (const folder of shown) {
    const closed = await findUnreadable(host, folder);
    if (closed !== null)
      words.push(
        `run.path, run.readable: expected folders that the user of runs on host ${host.host} may read, came ${closed.path} with mode ${closed.mode}; ` +
          `chmod -R o+rX ${closed.folder}, or let Perpetua install its packages (environment)`,
      );
  }
  return words;
}
