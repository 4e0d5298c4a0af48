import { filesNamedIn } from './build-task.ts';

interface SplitRequest {
  run: string;
  /** Command of the evaluation; null without one. */
  evaluate: string | null;
  /** True for a file that a person reserved for the evaluation. */
  isHeld: (path: string) => boolean;
  /** True for a file that a person named as mutable; null if the person named none. */
  isMutable: ((path: string) => boolean) | null;
}

/** Paths of a source folder by their role in the task. */
export interface SourceParts {
  /** Files that no run can see. */
  evaluatorOnly: string[];
  mutable: string[];
  workspace: string[];
}

/**
 * Splits a source folder. Files that the evaluation names, or a person reserved for it, are hidden from runs unless
 * they are mutable. If the person named no mutable files, those that the run names and the evaluation does not are
 * mutable.
 */
export function splitSource(paths: readonly string[], { run, evaluate, isHeld, isMutable }: SplitRequest): SourceParts {
  const named = evaluate === null ? [] : filesNamedIn(evaluate, paths);
  const held = evaluate === null ? [] : paths.filter((path) => named.includes(path) || isHeld(path));
  const ran = filesNamedIn(run, paths);
  const mutable = paths.filter((path) => (isMutable ? isMutable(path) : ran.includes(path) && !held.includes(path)));
  const workspace = paths.filter((path) => mutable.includes(path) || !held.includes(path));
  return { evaluatorOnly: held.filter((path) => !workspace.includes(path)), mutable, workspace };
}
