import type { Needs } from '../../../domain/tools/needs.ts';
import { asksNothing } from '../../../domain/tools/needs.ts';
import { readRequirement, satisfies, versionIn, type Requirement } from '../../../domain/tools/requirement.ts';
import { CannotShowError } from '../../compute.ts';
import { pathOf } from '../run-protocol/environment.ts';
import { findOn, closedIn } from './find.ts';
import { ownFolders } from './own-folders.ts';
import type { ToolHost } from './tool-host.ts';

/** For so long a host is not asked again for what it had, in ms: a launch may follow another within the second. */
const KEPT_MS = 60_000;

/** Remembers for a while what a host had. */
export function createLacks(host: ToolHost): (needs: Needs) => Promise<string[]> {
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
async function lacksOn(host: ToolHost, needs: Needs): Promise<string[]> {
  const absent = await absentFolders(host, needs);
  const { shown, refused } = await ownFolders(host, needs).then(
    (folders) => ({ shown: folders, refused: [] }),
    (error: unknown) => {
      if (error instanceof CannotShowError) return { shown: [], refused: [error.message] };
      throw error;
    },
  );
  const folders = [...absent, ...refused, ...(await closedFolders(host, shown))];
  // Without its folders nothing there tells of a program.
  return folders.length > 0 ? folders : unmet(host, needs);
}

async function absentFolders(host: ToolHost, { path, readable }: Needs): Promise<string[]> {
  const named = [...path, ...readable];
  if (named.length === 0) return [];
  const kinds = await host.ask(['tools_kinds', ...named]);
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
    const closed = await closedIn(host, folder);
    if (closed !== null)
      words.push(
        `run.path, run.readable: expected folders that the user of runs on host ${host.host} may read, came ${closed.path} with mode ${closed.mode}; ` +
          `chmod -R o+rX ${closed.folder}, or let Perpetua install its packages (environment)`,
      );
  }
  return words;
}

async function unmet(host: ToolHost, { path, requires }: Needs): Promise<string[]> {
  const wanted = requires.flatMap((text) => readRequirement(text) ?? []);
  if (wanted.length === 0) return [];
  const words = wanted.flatMap(({ kind, name, bounds }) => [
    kind === 'command' && bounds.length === 0 ? 'present' : kind,
    name,
  ]);
  const lines = await host.ask(['tools_required', pathOf(host, path), ...words]);
  const sentences: string[] = [];
  for (const [index, requirement] of wanted.entries()) {
    const came = cameOf(requirement, lines[index] ?? '');
    if (came === null) continue;
    const other = await elsewhere(host, requirement, path);
    const todo = other === null ? 'install it, or take it out of requires' : other;
    sentences.push(`requires: expected ${requirement.text} on host ${host.host}, came ${came}; ${todo}`);
  }
  return sentences;
}

/** What a host has in place of a requirement; null where that is met. */
function cameOf({ kind, name, bounds }: Requirement, line: string): string | null {
  const [word, place = '', second = '', third = ''] = line.split('\t');
  if (kind === 'python') {
    if (word === 'python' && third !== '') return null;
    return word === 'python' ? `python3 ${second} of ${place} without ${name}` : 'no python3';
  }
  if (word !== 'at') return 'nothing';
  if (bounds.length === 0) return null;
  const version = versionIn(second);
  if (version === null) return `${place}, which tells no version`;
  return satisfies(version, bounds) ? null : `${version} of ${place}`;
}

/** The line that would show a run what it requires, where that lies elsewhere on the host; null where nothing was found. */
async function elsewhere(
  host: ToolHost,
  { kind, name, bounds }: Requirement,
  path: readonly string[],
): Promise<string | null> {
  const { found } = await findOn(host, { kind, name }, { path, beside: [] });
  for (const { folder, refused, closed, userSite } of found) {
    if (refused !== null || closed !== null || userSite !== null) continue;
    if (bounds.length > 0) {
      const [line = ''] = await host.ask(['tools_required', pathOf(host, [folder]), kind, name]);
      if (cameOf({ text: '', kind, name, bounds }, line) !== null) continue;
    }
    return `${folder} has it: under run, add  path: [${[folder, ...path].join(', ')}]`;
  }
  return null;
}
