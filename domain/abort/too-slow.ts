import { percent } from '../text/format.ts';
import type { CurvePoint } from './types.ts';

/** Share of the planned steps before which a pace says nothing: start-up and compilation come first. */
const FROM = 0.1;
/** Largest accepted ratio of the projected end to the limit. */
const SLACK = 1.2;

/**
 * Share of waiting for a CPU from which the wait may explain a pace. A smaller wait is at most a fifth of the time in
 * which a quarter of the steps was made, and fewer steps do not change the median pace: the slack covers it.
 */
const EXPLAINS_PACE_FROM = 0.05;

/** Parts of the points whose paces are compared. A pause (a compilation, a checkpoint) affects only one part. */
const PARTS = 5;

/**
 * Returns the reason to stop a run that is slower than its budget allows, or null. At its pace the run would complete
 * the planned `steps` later than 1.2 times `seconds`, its time limit. The pace is the median over fifths of the
 * second half of its points. A run that has reached its last step is no longer slow. A line that was read late tells no
 * pace.
 */
export function tooSlow(points: readonly CurvePoint[], plan: { steps: number; seconds: number }): string | null {
  const last = points.at(-1);
  if (!last || last.step < FROM * plan.steps || last.step >= plan.steps || !Number.isFinite(last.elapsed)) return null;
  const pace = paceOf(points.slice(points.length >> 1).filter(({ elapsed }) => Number.isFinite(elapsed)));
  if (pace === null) return null;
  const end = last.elapsed + pace * (plan.steps - last.step);
  if (end <= SLACK * plan.seconds) return null;
  return (
    `at ${percent(last.step / plan.steps)} of its steps after ${Math.round(last.elapsed)} s; ` +
    `at this pace it would take ${Math.round(end)} s; the limit is ${plan.seconds} s`
  );
}

/** True if the wait for a CPU up to now may be the reason why the run seems too slow; `waitSeconds`: its sum. */
export const waitMayExplainPace = (points: readonly CurvePoint[], waitSeconds: number): boolean =>
  waitSeconds >= EXPLAINS_PACE_FROM * (points.at(-1)?.elapsed ?? 0);

/** Seconds per step: the median over the parts in which the step number rose; null if it rose in none. */
function paceOf(points: readonly CurvePoint[]): number | null {
  const parts = Math.min(PARTS, points.length - 1);
  const at = (part: number): CurvePoint | undefined => points[Math.round((part / parts) * (points.length - 1))];
  const paces = Array.from({ length: Math.max(0, parts) }, (_, part) => paceBetween(at(part), at(part + 1)))
    .filter((pace) => pace !== null)
    .sort((a, b) => a - b);
  return paces[Math.floor((paces.length - 1) / 2)] ?? null;
}

const paceBetween = (first: CurvePoint | undefined, last: CurvePoint | undefined): number | null =>
  first && last && last.step > first.step ? (last.elapsed - first.elapsed) / (last.step - first.step) : null;
