import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Problem } from '../../domain/issue/problem.ts';
import { globMatcher } from './globs.ts';
import { type Folder, readFolder, type TaskFile } from './read-folder.ts';

/** Reads a folder of the task and its problems. `at`: the key that names the folder. */
export async function checkFolder(
  root: string,
  path: string,
  at: string[],
): Promise<{ files: TaskFile[]; links: Map<string, string>; problems: Problem[] }> {
  const nothing = { files: [], links: new Map<string, string>() };
  const wrong = (got: string, todo: string): Problem => ({
    path: at,
    expected: `the folder ${path} beside task.yaml`,
    got,
    todo,
  });
  const there = await lstat(join(root, path)).catch(() => null);
  if (!there) return { ...nothing, problems: [wrong('nothing', `make it or correct ${at.join('.')}`)] };
  const real = await realpath(join(root, path));
  if (real !== (await realpath(root)) + sep + path.replaceAll('/', sep))
    return { ...nothing, problems: [wrong(`a symbolic link to ${real}`, 'copy the folder here')] };
  if (!there.isDirectory()) return { ...nothing, problems: [wrong('a file', 'name a folder')] };
  const folder = await readFolder(real);
  return { files: folder.files, links: folder.links, problems: contentProblems(folder, path, at) };
}

function contentProblems(folder: Folder, path: string, at: string[]): Problem[] {
  const problems = folder.refused.slice(0, 10).map(({ got, todo }) => ({
    path: at,
    expected: `plain files in ${path}, at most 2000 and 64 MiB together`,
    got,
    todo,
  }));
  if (folder.files.length === 0 && folder.links.size === 0 && problems.length === 0)
    return [{ path: at, expected: `files in ${path}`, got: 'an empty folder', todo: 'put the program there' }];
  return problems;
}

/** Problems of symbolic links: each is refused, at the glob that matches it if there is one. */
export function linkProblems(links: ReadonlyMap<string, string>, folder: string, globs: readonly string[]): Problem[] {
  return [...links].slice(0, 10).map(([path, target]) => {
    const glob = globs.findIndex((text) => globMatcher(text)(path));
    return {
      path: glob < 0 ? [folder] : ['mutable', glob],
      expected: `regular files that lie in the ${folder} themselves`,
      got: `the symbolic link ${path} to ${target}`,
      todo: 'copy what it points to, or make the link in setup',
    };
  });
}

/** The mutable paths: files that a glob of `mutable` matches and none of `immutable`. */
export function mutablePathsOf(
  files: readonly TaskFile[],
  { mutable, immutable }: { mutable: readonly string[]; immutable: readonly string[] },
): { paths: string[]; problems: Problem[] } {
  const fixed = immutable.map(globMatcher);
  const free = (path: string): boolean => !fixed.some((matches) => matches(path));
  const paths = files.map(({ path }) => path);
  const problems = [
    ...mutable.flatMap((glob, i) => unmatched({ key: ['mutable', i], glob, paths, free })),
    ...immutable.flatMap((glob, i) => unmatched({ key: ['immutable', i], glob, paths, free: () => true })),
  ];
  const open = mutable.map(globMatcher);
  return { paths: paths.filter((path) => free(path) && open.some((matches) => matches(path))), problems };
}

interface Glob {
  key: Problem['path'];
  glob: string;
  paths: string[];
  free: (path: string) => boolean;
}

function unmatched({ key, glob, paths, free }: Glob): Problem[] {
  const matched = paths.filter(globMatcher(glob));
  if (matched.some(free)) return [];
  const got = matched.length > 0 ? `${glob}, whose files are all immutable` : `${glob}, which matches none`;
  const list = paths.slice(0, 10).join(', ') + (paths.length > 10 ? ', …' : '');
  const todo = matched.length > 0 ? 'narrow immutable' : `correct the path; there is ${list || 'nothing'}`;
  return [{ path: key, expected: 'a glob that matches files of the workspace', got, todo }];
}
