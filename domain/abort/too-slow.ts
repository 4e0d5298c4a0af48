import { percent } from '../text/format.ts';
import type { CurvePoint } from './types.ts';

/** Share of the planned steps before which a pace says nothing: start-up and compilation come first. */
const FROM = 0.1;
/** How far the projected end may lie beyond the limit. */
const SLACK = 1.2;

/** Parts of the points whose paces are compared: a pause (a compilation, a checkpoint) is in one of them. */
const PARTS = 5;

/**
 * The words of the hard rule "slower than the budget allows", or null: a run of planned `steps` whose pace over the
 * second half of its points (the median pace of fifths of it) would bring it to the end later than 1.2 times `seconds` (its
 * wall-clock limit). A run that has reached its last step is not slow any more, and a line that was read late says nothing of
 * the pace.
 */
export function tooSlow(points: readonly CurvePoint[], plan: { steps: number; seconds: number }): string | null {
  const last = points.at(-1);
  if (!last || last.step < FROM * plan.steps || last.step >= plan.steps || !Number.isFinite(last.elapsed)) return null;
  const pace = paceOf(points.slice(points.length >> 1).filter(({ elapsed }) => Number.isFinite(elapsed)));
  if (pace === null) return null;
  const end = last.elapsed + pace * (plan.steps - last.step);
  if (end <= SLACK * plan.seconds) return null;
  return (
    `at ${percent(last.step / plan.steps)} of its steps after ${Math.round(last.elapsed)} s; at this pace it ends after ` +
    `${Math.round(end)} s, and it may take ${plan.seconds} s`
  );
}

/** Seconds a step: the median of the parts, of those in which steps were made; null where none was. */
function paceOf(points: readonly CurvePoint[]): number | null {
  const parts = Math.min(PARTS, points.length - 1);
  const at = (part: number): CurvePoint | undefined => points[Math.round((part / parts) * (points.length - 1))];
  const paces = Array.from({ length: Math.max(0, parts) }, (_, part) => between(at(part), at(part + 1)))
    .filter((pace) => pace !== null)
    .sort((a, b) => a - b);
  return paces[Math.floor((paces.length - 1) / 2)] ?? null;
}

const between = (from: CurvePoint | undefined, to: CurvePoint | undefined): number | null =>
  from && to && to.step > from.step ? (to.elapsed - from.elapsed) / (to.step - from.step) : null;
