import { dirname } from 'node:path/posix';
import type { Finding, FoundTool } from '../../../domain/tools/advice.ts';
import { isOfPath, type MissingTool } from '../../../domain/tools/find-missing-tool.ts';
import { CannotShowError } from '../../compute.ts';
import { prefixOf } from '../run-protocol/environment.ts';
import { isSystemPath } from '../run-protocol/spec.ts';
import { foldersToShow } from './folders-to-show.ts';
import type { ToolHost } from './tool-host.ts';

/** As many are worth a person's look. */
const MOST = 5;

/** Looks for what a run did not find where it could not look: on the PATH of whoever works there, in pyenv, conda and the like. */
export async function locateMissing(
  host: ToolHost,
  { kind, name }: MissingTool,
  { path, beside }: { path: readonly string[]; beside: readonly string[] },
): Promise<Finding> {
  if (kind === 'node') return { found: [], pythons: [] };
  const lines = await host.runTools([
    'tools_find',
    kind,
    name,
    beside.join(':'),
    (await host.taskProgramFolders()).join(':'),
  ]);
  const places = kind === 'python' ? pythonsIn(lines) : filesIn(lines);
  const seen = new Set([...path, ...host.path.split(':')]);
  const unseen = places.filter(
    ({ folder, place }) => place !== '' && !(seen.has(folder) && (kind !== 'python' || isSystemPath(place))),
  );
  const found: FoundTool[] = [];
  for (const place of unseen.slice(0, MOST)) {
    const userSite = kind === 'python' && isOfUser(place) ? dirname(place.place) : null;
    // A file of the system is seen: it failed for something else.
    if (kind === 'file' && isSystemPath(place.folder)) continue;
    found.push({
      folder: place.folder,
      version: place.version,
      userSite,
      closed: await findUnreadable(host, userSite ?? prefixOf(place.folder)),
      refused: await refusedFor(host, userSite ?? place.folder, {
        asPath: userSite === null && (kind !== 'file' || isOfPath({ kind, name })),
      }),
    });
  }
  return { found, pythons: places.flatMap(({ version }) => version ?? []) };
}

/** A folder of programs, with where in it, or of which Python, a module lies; empty where that lacks it. */
interface Place {
  folder: string;
  version: string | null;
  place: string;
}

function pythonsIn(lines: string[]): Place[] {
  const places = lines.flatMap((line): Place[] => {
    const [word, folder = '', version = '', place = ''] = line.split('\t');
    return word === 'python' && folder.startsWith('/') ? [{ folder: plain(folder), version, place }] : [];
  });
  return uniqueBy(places, ({ folder }) => folder);
}

const filesIn = (lines: string[]): Place[] =>
  uniqueBy(
    lines.flatMap((line): Place[] => {
      const [word, file = ''] = line.split('\t');
      return word === 'at' ? [{ folder: plain(dirname(file)), version: null, place: file }] : [];
    }),
    ({ folder }) => folder,
  );

/** Most systems have one folder for both. */
const plain = (folder: string): string => (folder === '/bin' ? '/usr/bin' : folder);

const uniqueBy = <T>(values: T[], keyOf: (value: T) => string): T[] =>
  values.filter((value, index) => values.findIndex((other) => keyOf(other) === keyOf(value)) === index);

/** A module that pip put into its user's own folder: the Python finds it for that user alone. */
const isOfUser = ({ place }: Place): boolean => /\/\.local\/lib\/python[\d.]+\/site-packages\//.test(place);

async function refusedFor(host: ToolHost, folder: string, { asPath }: { asPath: boolean }): Promise<string | null> {
  try {
    await foldersToShow(host, asPath ? { path: [folder] } : { readable: [folder] });
    return null;
  } catch (error) {
    if (error instanceof CannotShowError) return error.why;
    throw error;
  }
}

/** What of a folder the user of runs may not read; null where they have no user of their own there. */
export async function findUnreadable(host: ToolHost, folder: string): Promise<FoundTool['closed']> {
  const { ownUid, sandboxed } = await host.confinement(true);
  if (isSystemPath(folder) || !ownUid) return null;
  const [line] = await host.runTools(['tools_closed', sandboxed ? 'shown' : 'plain', folder]);
  const [, mode = '', path = ''] = line?.split('\t') ?? [];
  return path === '' ? null : { path, mode, folder };
}
