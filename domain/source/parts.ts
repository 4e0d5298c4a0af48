import { filesNamedIn } from './task-of.ts';

interface Asked {
  run: string;
  /** Null without an evaluation. */
  evaluate: string | null;
  /** Whether a person named a file as the evaluation's alone, or as mutable; null where nothing was said of mutable ones. */
  isHeld: (path: string) => boolean;
  isMutable: ((path: string) => boolean) | null;
}

/** Paths of a source by what becomes of them. */
export interface Parts {
  /** Of which no run sees anything. */
  held: string[];
  mutable: string[];
  workspace: string[];
}

/** Parts of a source: what the evaluation names is held back, and what the run names may change, where nothing else was said. */
export function partsOf(paths: readonly string[], { run, evaluate, isHeld, isMutable }: Asked): Parts {
  const named = evaluate === null ? [] : filesNamedIn(evaluate, paths);
  const held = evaluate === null ? [] : paths.filter((path) => named.includes(path) || isHeld(path));
  const ran = filesNamedIn(run, paths);
  const mutable = paths.filter((path) => (isMutable ? isMutable(path) : ran.includes(path) && !held.includes(path)));
  const workspace = paths.filter((path) => mutable.includes(path) || !held.includes(path));
  return { held: held.filter((path) => !workspace.includes(path)), mutable, workspace };
}
