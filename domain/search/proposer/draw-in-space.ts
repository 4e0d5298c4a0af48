import { applyEdits } from '../../edit/apply-edits.ts';
import { locateKnob } from '../../edit/knob-edit.ts';
import { type KnobSetting, setKnobs } from '../../edit/set-knobs.ts';
import { isInSpace, nearestInSpace } from '../../knob/in-space.ts';
import { createRandom } from '../../statistics/random.ts';
import { hashToSeed } from '../../trial/seed.ts';
import type { Draw, KnobInput } from '../proposer.ts';
import { otherDraws } from './other-draws.ts';

type Files = Readonly<Record<string, string>>;

/**
 * Draws from the parent as the task's search space allows it. A knob of the parent that lies outside, since the space
 * was changed, or a person or a model set it, first gets its nearest value, and a removed choice one that is drawn.
 */
export function drawInSpace(input: KnobInput, draw: (input: KnobInput) => Draw): Draw {
  const moved = movedInside(input);
  if (moved === null) return draw(input);
  return together(input, { moved, drawn: draw({ ...input, files: moved.files }) });
}

/** `otherDraws` from the parent as the search space allows it. If the parent lies outside, it is the first draw. */
export function* otherDrawsInSpace(input: KnobInput): Generator<Draw> {
  const moved = movedInside(input);
  if (moved === null) {
    yield* otherDraws(input);
    return;
  }
  yield moved.draw;
  for (const drawn of otherDraws({ ...input, files: moved.files })) yield together(input, { moved, drawn });
}

interface Moved {
  draw: Extract<Draw, { ok: true }>;
  files: Record<string, string>;
}

/** The parent with its outside knobs moved into the space; null if none lies outside. */
function movedInside({ knobs, files, seed }: KnobInput): Moved | null {
  const random = createRandom(hashToSeed(`${seed}/inside`));
  const outside = knobs.flatMap((knob): KnobSetting[] => {
    const location = locateKnob(files, knob);
    if (location === null || isInSpace(knob, location.value)) return [];
    return [{ knob, value: nearestInSpace(knob, location.value, random) }];
  });
  if (outside.length === 0) return null;
  const draw = setKnobs(outside, files);
  const inside = draw.ok ? applied(files, draw) : null;
  return draw.ok && inside !== null ? { draw, files: inside } : null;
}

/** One draw with the changes of both, and each knob changed once if only knobs are changed. */
function together(input: KnobInput, { moved, drawn }: { moved: Moved; drawn: Draw }): Draw {
  if (!drawn.ok) return drawn;
  const { draw } = moved;
  const both: Draw = {
    ok: true,
    edits: [...draw.edits, ...drawn.edits],
    hypothesis: `${draw.hypothesis}, ${drawn.hypothesis}`,
  };
  const after = applied(moved.files, drawn);
  if (after === null) return both;
  const settings = input.knobs.flatMap((knob): KnobSetting[] => {
    const location = locateKnob(after, knob);
    return location === null ? [] : [{ knob, value: location.value }];
  });
  const once = setKnobs(settings, input.files);
  const isSame =
    once.ok && Object.entries(applied(input.files, once) ?? {}).every(([path, text]) => after[path] === text);
  return isSame ? once : both;
}

/** The files with a draw's edits; null if these do not apply. */
function applied(files: Files, { edits }: Extract<Draw, { ok: true }>): Record<string, string> | null {
  const result = applyEdits({ ...files }, edits, Object.keys(files));
  return result.ok ? result.files : null;
}
