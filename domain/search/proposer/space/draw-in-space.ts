import { applyEdits } from '../../../edit/apply-edits.ts';
import { locateKnob } from '../../../edit/knob-edit.ts';
import { type KnobSetting, setKnobs } from '../../../edit/set-knobs.ts';
import { isInSpace, nearestInSpace } from '../../../knob/in-space.ts';
import { createRandom } from '../../../statistics/random.ts';
import { hashToSeed } from '../../../trial/seed.ts';
import type { Draw, KnobInput } from '../../proposer.ts';
import { otherDraws } from '../other-draws.ts';

type Files = Readonly<Record<string, string>>;

/**
 * Makes a draw that lies inside the task's search space. A knob of the parent may lie outside, since the space was
 * changed, or since a person or a model set it: before the draw, it gets its nearest value, and a removed choice one
 * that is drawn. So does a knob that the draw sets to the value of an earlier candidate outside.
 */
export function drawInSpace(input: KnobInput, draw: (input: KnobInput) => Draw): Draw {
  const moved = movedInside(input);
  const drawn = draw(moved === null ? input : { ...input, files: moved.files });
  if (!drawn.ok) return drawn;
  const after = applied(moved?.files ?? input.files, drawn);
  const again = after === null ? null : movedInside({ ...input, files: after });
  const steps = [moved?.draw, drawn, again?.draw].filter((step) => step !== undefined);
  return combine(input, { steps, after: again?.files ?? after });
}

/** `otherDraws` from the parent as the search space allows it. If the parent lies outside, it is the first draw. */
export function* otherDrawsInSpace(input: KnobInput): Generator<Draw> {
  const moved = movedInside(input);
  if (moved === null) {
    yield* otherDraws(input);
    return;
  }
  yield moved.draw;
  for (const drawn of otherDraws({ ...input, files: moved.files }))
    yield drawn.ok ? combine(input, { steps: [moved.draw, drawn], after: applied(moved.files, drawn) }) : drawn;
}

type Made = Extract<Draw, { ok: true }>;

interface Moved {
  draw: Made;
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

/** Combines the changes of all steps into one draw. If only knobs are changed, each knob is changed once. */
function combine(input: KnobInput, { steps, after }: { steps: readonly Made[]; after: Files | null }): Draw {
  const [only, ...more] = steps;
  if (only !== undefined && more.length === 0) return only;
  const all: Draw = {
    ok: true,
    edits: steps.flatMap(({ edits }) => edits),
    hypothesis: steps.map(({ hypothesis }) => hypothesis).join(', '),
  };
  if (after === null) return all;
  const settings = input.knobs.flatMap((knob): KnobSetting[] => {
    const location = locateKnob(after, knob);
    return location === null ? [] : [{ knob, value: location.value }];
  });
  const once = setKnobs(settings, input.files);
  const files = once.ok ? (applied(input.files, once) ?? {}) : {};
  return once.ok && Object.keys(after).every((path) => after[path] === files[path]) ? once : all;
}

/** The files with a draw's edits; null if these do not apply. */
function applied(files: Files, { edits }: Made): Record<string, string> | null {
  const result = applyEdits({ ...files }, edits, Object.keys(files));
  return result.ok ? result.files : null;
}
