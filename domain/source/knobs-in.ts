import { findAssignments } from '../task/knob-value.ts';
import type { Knob } from '../task/schema/knob.ts';

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
