import { foldersOf } from '../../text/folders-of.ts';
import { pathProblem } from '../../text/path-problem.ts';
import type { EditRules } from '../../schema/edits.ts';
import { MEMORY_PATH } from '../answer/memory.ts';
import { globPattern } from './glob-pattern.ts';
import { addsMarkers, outsideRegions } from './regions.ts';
import { shadowingProblem } from './shadowing.ts';

/** Text files of a candidate: path to text. */
type Files = Readonly<Record<string, string>>;

/** The parts of a workspace that a proposal may change. */
export interface EditScope {
  /** Mutable files of the workspace. */
  mutablePaths: readonly string[];
  rules: EditRules;
  /** Paths that a new file may not take, or be a folder of: immutable files and artefacts. */
  taken: readonly string[];
  /** Paths among `taken` that only a run makes, since the workspace has no such file. */
  artefacts?: readonly string[];
}

const NO_RULES: EditRules = { regions: false, create: [], remove: [], mostNewFiles: 20 };

/** The scope in which mutable files may be changed, and nothing else may be done. */
export const mutableOnly = (mutablePaths: readonly string[]): EditScope => ({
  mutablePaths,
  rules: NO_RULES,
  taken: [],
});

interface ScopedTask {
  edits: EditRules;
  run: { artefacts: readonly { path: string }[] };
}

/** The scope of a task version. `workspace`: paths of all its files; only tasks with `edits.create` need them. */
export const scopeOf = (
  { task, mutablePaths }: { task: ScopedTask; mutablePaths: readonly string[] },
  workspace: readonly string[],
): EditScope => ({
  mutablePaths,
  rules: task.edits,
  taken: [...workspace.filter((path) => !mutablePaths.includes(path)), ...task.run.artefacts.map(({ path }) => path)],
  artefacts: task.run.artefacts.map(({ path }) => path).filter((path) => !workspace.includes(path)),
});

/** Names that no new file may have as a part of its path: files of the platform, and folders that tasks leave out. */
const RESERVED = new Set([
  '.git',
  '.ds_store',
  '__pycache__',
  '.perpetua',
  '.perpetua-agent',
  'started.json',
  'ended.json',
  // An answer replaces the model's memory under this name.
  MEMORY_PATH.toLowerCase(),
]);
/** Most bytes of a part of a path, as file systems allow it. */
const LONGEST_NAME = 200;

const matchesOne = (globs: readonly string[], path: string): boolean =>
  globs.some((glob) => globPattern(glob).test(path));

/** True if a glob of `edits.create` matches a path; it may be refused for another reason. */
export const matchesCreate = (path: string, { create }: EditRules): boolean => matchesOne(create, path);

/** The reason why a candidate may not have a new file at a path; null if it may. */
export function creationProblem(path: string, scope: EditScope): string | null {
  const { mutablePaths, rules, taken, artefacts = [] } = scope;
  const odd = pathProblem(path);
  if (odd !== null) return odd;
  if (rules.create.length === 0) return 'the task allows no new files';
  if (!matchesOne(rules.create, path)) return `no glob of edits.create matches it (${rules.create.join(', ')})`;
  if (!path.isWellFormed() || /[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(path))
    return 'it holds control characters';
  if (path !== path.normalize('NFC')) return 'it is not in the Unicode form NFC';
  const parts = path.split('/');
  // Records of files are plain objects.
  if (path in {}) return `${path} is a reserved name`;
  const long = parts.find((part) => new TextEncoder().encode(part).length > LONGEST_NAME);
  if (long !== undefined) return `a part of it is longer than ${LONGEST_NAME} bytes`;
  const reserved = parts.find((part) => RESERVED.has(part.toLowerCase()));
  if (reserved !== undefined) return `${reserved} is a reserved name`;
  const blank = parts.find((part) => part.trim() !== part || part.endsWith('.'));
  if (blank !== undefined) return 'a part of it begins or ends with a blank, or ends with a dot';
  const immutable = taken.filter((other) => !artefacts.includes(other));
  return collision(path, [...mutablePaths, ...taken]) ?? shadowingProblem(path, { immutable, create: rules.create });
}

/** The path with which a new path collides, in words: the same but for case, or a file where the other has a folder. */
function collision(path: string, others: readonly string[]): string | null {
  const form = formOf(path);
  const folders = new Set(foldersOf(form));
  for (const other of others) {
    const otherForm = formOf(other);
    if (otherForm === form) return other === path ? 'the workspace has this file' : `it differs from ${other} in case`;
    if (folders.has(otherForm)) return `${other} is a file, not a folder`;
    if (otherForm.startsWith(`${form}/`)) return `it is a folder, which holds ${other}`;
  }
  return sharedFolderInOtherCase(path, others);
}

/** A folder of a path that another path has in another case; file systems may hold both, or one. */
function sharedFolderInOtherCase(path: string, others: readonly string[]): string | null {
  const folders = new Map(foldersOf(path).map((folder) => [formOf(folder), folder]));
  for (const other of others)
    for (const folder of foldersOf(other)) {
      const mine = folders.get(formOf(folder));
      if (mine !== undefined && mine !== folder) return `its folder ${mine} differs from ${folder} in case`;
    }
  return null;
}

const formOf = (path: string): string => path.normalize('NFC').toLowerCase();

/** The reason why a candidate may not lack a mutable file; null if it may. A new file may always be deleted again. */
export function removalProblem(path: string, { mutablePaths, rules }: EditScope): string | null {
  if (!mutablePaths.includes(path) || matchesOne(rules.remove, path)) return null;
  if (rules.remove.length === 0) return 'the task allows no file to be deleted';
  return `no glob of edits.remove matches it (${rules.remove.join(', ')})`;
}

/** A change that a scope does not allow: its file, and the reason. */
export interface Violation {
  path: string;
  reason: string;
  /** True: the file may be changed, but not there. */
  isRegion: boolean;
}

/**
 * The first way in which a candidate's files leave the scope, compared with its parent's; null if they stay within.
 * Every way to a candidate ends here: answers, diffs, tool calls, work trees of agents, and proposals of people.
 */
export function findViolation(before: Files, after: Files, scope: EditScope): Violation | null {
  const { mutablePaths, rules } = scope;
  const mutable = new Set(mutablePaths);
  const created = Object.keys(after).filter((path) => !mutable.has(path));
  for (const path of created) {
    const problem =
      creationProblem(path, scope) ??
      collision(
        path,
        created.filter((other) => other !== path),
      );
    if (problem !== null) return { path, reason: problem, isRegion: false };
  }
  const fresh = created.filter((path) => !Object.hasOwn(before, path));
  const [first] = fresh;
  if (first !== undefined && created.length > rules.mostNewFiles) {
    const reason = `a candidate may have ${rules.mostNewFiles} new files (edits.mostNewFiles), got ${created.length}`;
    return { path: first, reason, isRegion: false };
  }
  for (const path of Object.keys(before)) {
    const problem = Object.hasOwn(after, path) ? null : removalProblem(path, scope);
    if (problem !== null) return { path, reason: `it cannot be deleted: ${problem}`, isRegion: false };
  }
  return rules.regions ? findOutsideRegion(before, after) : null;
}

function findOutsideRegion(before: Files, after: Files): Violation | null {
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = Object.hasOwn(before, path) ? before[path] : undefined;
    const made = (Object.hasOwn(after, path) ? after[path] : undefined) ?? '';
    const reason = old === undefined ? addsMarkers(path, made) : outsideRegions(path, old, made);
    if (reason !== null) return { path, reason, isRegion: true };
  }
  return null;
}
