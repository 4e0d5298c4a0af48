import { locateKnob, withLiteral } from '../edit/knob-edit.ts';
import { structureContent } from '../edit/structure.ts';
import type { Knob } from '../knob/knob.ts';
import { plural } from '../text/plural.ts';
import { lineHunks, linesOf } from './line-hunks.ts';

type Files = Readonly<Record<string, string>>;

/** A candidate without one of its edits. */
export interface Variant {
  /** Name of the edit: a knob with its values, or lines of a file. */
  edit: string;
  /** Mutable files of the variant, path to text. */
  files: Files;
}

/**
 * The variants of a candidate: it differs from the original in edits, and each variant lacks one of them. If only
 * values of knobs differ, each changed knob is an edit. Otherwise each changed hunk of a file is one.
 */
export function variantsOf(
  knobs: readonly Knob[],
  { original, edited }: { original: Files; edited: Files },
): Variant[] {
  const isOfKnobs = structureContent(knobs, original) === structureContent(knobs, edited);
  return isOfKnobs ? knobVariants(knobs, { original, edited }) : hunkVariants({ original, edited });
}

function knobVariants(knobs: readonly Knob[], { original, edited }: { original: Files; edited: Files }): Variant[] {
  return knobs.flatMap((knob) => {
    const [before, after] = [locateKnob(original, knob), locateKnob(edited, knob)];
    if (before === null || after === null || before.at.raw === after.at.raw) return [];
    const edit = `${knob.name} ${before.at.raw} → ${after.at.raw} (${knob.file})`;
    return [{ edit, files: { ...edited, [knob.file]: withLiteral(after, before.at.raw) } }];
  });
}

function hunkVariants({ original, edited }: { original: Files; edited: Files }): Variant[] {
  const paths = [...new Set([...Object.keys(original), ...Object.keys(edited)])].sort();
  return paths.flatMap((path) => {
    const [before, after] = [original[path], edited[path]];
    if (after === undefined)
      return before === undefined ? [] : [{ edit: `${path}: deleted`, files: { ...edited, [path]: before } }];
    if (before === undefined) return [{ edit: `${path}: new file`, files: without(edited, path) }];
    const lines = linesOf(after);
    return lineHunks(linesOf(before), lines).map(({ from, to, original: back }) => {
      const text = [...lines.slice(0, from), ...back, ...lines.slice(to)].join('');
      return { edit: nameOf(path, { from, to, removed: back.length }), files: { ...edited, [path]: text } };
    });
  });
}

const without = (files: Files, path: string): Files =>
  Object.fromEntries(Object.entries(files).filter(([other]) => other !== path));

/** Names a hunk by the lines of the candidate's file, or by the number of lines that it removed. */
function nameOf(path: string, { from, to, removed }: { from: number; to: number; removed: number }): string {
  if (to === from) return `${path}: ${plural(removed, 'line')} removed before line ${from + 1}`;
  return to === from + 1 ? `${path}: line ${to}` : `${path}: lines ${from + 1} to ${to}`;
}
