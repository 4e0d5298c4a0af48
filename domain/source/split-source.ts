import { findAssignments } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
import { filesNamedIn } from './build-task.ts';

interface Asked {
  run: string;
  /** Null without an evaluation. */
  evaluate: string | null;
  /** Whether a person named a file as the evaluation's alone, or as mutable; null where nothing was said of mutable ones. */
  isHeld: (path: string) => boolean;
  isMutable: ((path: string) => boolean) | null;
}

/** Paths of a source by what becomes of them. */
export interface SourceParts {
  /** Of which no run sees anything. */
  evaluatorOnly: string[];
  mutable: string[];
  workspace: string[];
}

/** Parts of a source: what the evaluation names is held back, and what the run names may change, where nothing else was said. */
export function splitSource(paths: readonly string[], { run, evaluate, isHeld, isMutable }: Asked): SourceParts {
  const named = evaluate === null ? [] : filesNamedIn(evaluate, paths);
  const held = evaluate === null ? [] : paths.filter((path) => named.includes(path) || isHeld(path));
  const ran = filesNamedIn(run, paths);
  const mutable = paths.filter((path) => (isMutable ? isMutable(path) : ran.includes(path) && !held.includes(path)));
  const workspace = paths.filter((path) => mutable.includes(path) || !held.includes(path));
  return { evaluatorOnly: held.filter((path) => !workspace.includes(path)), mutable, workspace };
}

const NAMED = /^\s*(?:export )?(?:const |let |var )?([A-Z][A-Z0-9_]+)\s*=/gm;
/** A number may become so many times larger or smaller; a whole one less so. */
const [TIMES, TIMES_WHOLE] = [10, 4];

/**
 * Numbers in capital letters at the top of a program, as knobs: `LR = 0.1`. Each stands once in its file. A value of 0, or below, has
 * no range that could be guessed.
 */
export function knobsIn(files: Readonly<Record<string, string>>): Knob[] {
  return Object.entries(files).flatMap(([file, text]) =>
    [...new Set([...text.matchAll(NAMED)].map(([, name]) => name ?? ''))].flatMap((name): Knob[] => {
      const found = findAssignments(text, name);
      const value = found[0]?.value;
      if (found.length !== 1 || typeof value !== 'number' || !(value > 0)) return [];
      return [{ file, name, scale: 'log', ...rangeOf(value, found[0]?.raw ?? '') }];
    }),
  );
}

const rangeOf = (value: number, raw: string): { type: 'int' | 'float'; range: [number, number] } =>
  Number.isInteger(value) && !/[.e]/i.test(raw)
    ? { type: 'int', range: [Math.max(1, Math.floor(value / TIMES_WHOLE)), value * TIMES_WHOLE] }
    : { type: 'float', range: [shorten(value / TIMES), shorten(value * TIMES)] };

const shorten = (value: number): number => Number(value.toPrecision(6));
