import { findAssignments } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
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

const NAMED = /^\s*(?:export )?(?:const |let |var )?([A-Z][A-Z0-9_]+)\s*=/gm;
/** Factor by which the range of a float extends its value in both directions. */
const FLOAT_FACTOR = 10;
/** The same factor for a whole number. */
const INT_FACTOR = 4;

/**
 * Knobs guessed from a program: numbers assigned to names in capital letters, such as `LR = 0.1`, once in their file.
 * Values of 0 or below give no knob, since no range can be guessed.
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
    ? { type: 'int', range: [Math.max(1, Math.floor(value / INT_FACTOR)), value * INT_FACTOR] }
    : { type: 'float', range: [shorten(value / FLOAT_FACTOR), shorten(value * FLOAT_FACTOR)] };

const shorten = (value: number): number => Number(value.toPrecision(6));
