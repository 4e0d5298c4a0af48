import { dirname } from 'node:path/posix';
import type { Finding, FoundTool } from '../../../domain/tools/advice.ts';
import { isOfPath, type MissingTool } from '../../../domain/tools/find-missing-tool.ts';
import { CannotShowError } from '../../compute.ts';
import { prefixOf } from '../run-protocol/environment.ts';
import { isSystemPath } from '../run-protocol/spec.ts';
import { foldersToShow } from './folders-to-show.ts';
import type { ToolHost } from './tool-host.ts';

/** Most findings that are reported. */
const MOST = 5;

/**
 * Searches a host for a tool that a run did not find, in places that the run does not see: the PATH of the user's
 * login, pyenv, conda and the like.
 */
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
  const candidates = kind === 'python' ? pythonsIn(lines) : filesIn(lines);
  const seen = new Set([...path, ...host.path.split(':')]);
  const unseen = candidates.filter(
    ({ folder, location }) => location !== '' && !(seen.has(folder) && (kind !== 'python' || isSystemPath(location))),
  );
  const found: FoundTool[] = [];
  for (const candidate of unseen.slice(0, MOST)) {
    const userSite = kind === 'python' && isOfUser(candidate) ? dirname(candidate.location) : null;
    // Runs see system files: such a file failed for another reason.
    if (kind === 'file' && isSystemPath(candidate.folder)) continue;
    found.push({
      folder: candidate.folder,
      version: candidate.version,
      userSite,
      closed: await findUnreadable(host, userSite ?? prefixOf(candidate.folder)),
      refused: await refusedFor(host, userSite ?? candidate.folder, {
        asPath: userSite === null && (kind !== 'file' || isOfPath({ kind, name })),
      }),
    });
  }
  return { found, pythons: candidates.flatMap(({ version }) => version ?? []) };
}

/**
 * A folder of programs. `location`: path of the file, or of the module of the Python there; empty if that Python lacks
 * the module. `version`: of that Python.
 */
interface Candidate {
  folder: string;
  version: string | null;
  location: string;
}

function pythonsIn(lines: string[]): Candidate[] {
  const candidates = lines.flatMap((line): Candidate[] => {
    const [word, folder = '', version = '', location = ''] = line.split('\t');
    return word === 'python' && folder.startsWith('/') ? [{ folder: plain(folder), version, location }] : [];
  });
  return uniqueBy(candidates, ({ folder }) => folder);
}

const filesIn = (lines: string[]): Candidate[] =>
  uniqueBy(
    lines.flatMap((line): Candidate[] => {
      const [word, file = ''] = line.split('\t');
      return word === 'at' ? [{ folder: plain(dirname(file)), version: null, location: file }] : [];
    }),
    ({ folder }) => folder,
  );

/** Replaces /bin by /usr/bin, which are one folder on most systems. */
const plain = (folder: string): string => (folder === '/bin' ? '/usr/bin' : folder);

const uniqueBy = <T>(values: T[], keyOf: (value: T) => string): T[] =>
  values.filter((value, index) => values.findIndex((other) => keyOf(other) === keyOf(value)) === index);

/** True for a module that pip installed for one user, in ~/.local: the Python finds it for that user only. */
const isOfUser = ({ location }: Candidate): boolean => /\/\.local\/lib\/python[\d.]+\/site-packages\//.test(location);

async function refusedFor(host: ToolHost, folder: string, { asPath }: { asPath: boolean }): Promise<string | null> {
  try {
    await foldersToShow(host, asPath ? { path: [folder] } : { readable: [folder] });
    return null;
  } catch (error) {
    if (error instanceof CannotShowError) return error.why;
    throw error;
  }
}

/** First path of a folder that the user of runs may not read; null if there is none, or if runs have no own user. */
export async function findUnreadable(host: ToolHost, folder: string): Promise<FoundTool['closed']> {
  const { ownUid, sandboxed } = await host.confinement(true);
  if (isSystemPath(folder) || !ownUid) return null;
  const [line] = await host.runTools(['tools_closed', sandboxed ? 'shown' : 'plain', folder]);
  const [, mode = '', path = ''] = line?.split('\t') ?? [];
  return path === '' ? null : { path, mode, folder };
}
