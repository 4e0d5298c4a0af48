import { asksNothing, type ToolNeeds } from '../../../domain/tools/needs.ts';
import { CannotShowError } from '../../compute.ts';
import { findUnreadable } from './locate-missing.ts';
import { foldersToShow } from './folders-to-show.ts';
import type { ToolHost } from './tool-host.ts';
import { missingRequirements } from './missing-requirements.ts';

/** Time in ms for which a host that lacked nothing is not checked again: launches may follow each other quickly. */
const CACHE_MS = 60_000;

/** Makes a check of a host, which caches that nothing was missing. */
export function createMissingToolsCheck(host: ToolHost): (needs: ToolNeeds) => Promise<string[]> {
  const completeUntil = new Map<string, number>();
  return async (needs) => {
    if (asksNothing(needs)) return [];
    const key = JSON.stringify(needs);
    if ((completeUntil.get(key) ?? 0) > Date.now()) return [];
    const missing = await missingOn(host, needs);
    if (missing.length === 0) completeUntil.set(key, Date.now() + CACHE_MS);
    return missing;
  };
}

/**
 * Folders and programs that a task names and its host lacks, or may not show: a sentence for each, with the key, what
 * the host has, and the remedy.
 */
async function missingOn(host: ToolHost, needs: ToolNeeds): Promise<string[]> {
  const absent = await absentFolders(host, needs);
  const { shown, refused } = await foldersToShow(host, needs).then(
    (folders) => ({ shown: folders, refused: [] }),
    (error: unknown) => {
      if (error instanceof CannotShowError) return { shown: [], refused: [error.message] };
      throw error;
    },
  );
  const folders = [...absent, ...refused, ...(await closedFolders(host, shown))];
  // Programs are checked only if all folders are there, since they may lie in these folders.
  return folders.length > 0 ? folders : missingRequirements(host, needs);
}

async function absentFolders(host: ToolHost, { path, readable }: ToolNeeds): Promise<string[]> {
  const named = [...path, ...readable];
  if (named.length === 0) return [];
  const kinds = await host.runTools(['tools_kinds', ...named]);
  const isThere = (folder: string): boolean => kinds.includes(`folder ${folder}`);
  const describe = (key: string, folder: string): string => {
    const got = kinds.includes(`file ${folder}`) ? 'a file' : 'nothing';
    return (
      `run.${key}: expected the folder ${folder} on host ${host.host}, got ${got}; ` +
      'correct the path, or make the folder there'
    );
  };
  return [
    ...path.filter((folder) => !isThere(folder)).map((folder) => describe('path', folder)),
    ...readable.filter((folder) => !isThere(folder)).map((folder) => describe('readable', folder)),
  ];
}

/** Sentences for folders that runs cannot read. An environment can be readable while the Python behind it is not. */
async function closedFolders(host: ToolHost, shown: string[]): Promise<string[]> {
  const sentences: string[] = [];
  for (const folder of shown) {
    const closed = await findUnreadable(host, folder);
    if (closed !== null)
      sentences.push(
        `run.path, run.readable: expected folders that the user of runs on host ${host.host} may read, ` +
          `got ${closed.path} with mode ${closed.mode}; ` +
          `run chmod -R o+rX ${closed.folder}, or let Perpetua install its packages (environment)`,
      );
  }
  return sentences;
}
