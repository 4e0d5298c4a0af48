import { percent } from './say.ts';
import type { CurvePoint } from './types.ts';

/** Share of the planned steps before which a pace says nothing: start-up and compilation come first. */
const FROM = 0.1;
/** How far the projected end may lie beyond the limit. */
const SLACK = 1.2;

/**
 * The words of the hard rule "slower than the budget allows", or null: a run of planned `steps` whose pace over the
 * second half of its points would bring it to the end later than 1.2 times `seconds` (its wall-clock limit). A run that
 * has reached its last step is not slow any more, and a line that was read late says nothing of the pace.
 */
export function tooSlow(points: readonly CurvePoint[], plan: { steps: number; seconds: number }): string | null {
  const last = points.at(-1);
  if (!last || last.step < FROM * plan.steps || last.step >= plan.steps || !Number.isFinite(last.elapsed)) return null;
  const before = points.slice(points.length >> 1).find(({ elapsed }) => Number.isFinite(elapsed));
  if (!before || last.step <= before.step) return null;
  const pace = (last.elapsed - before.elapsed) / (last.step - before.step);
  const end = last.elapsed + pace * (plan.steps - last.step);
  if (end <= SLACK * plan.seconds) return null;
  return (
    `at ${percent(last.step / plan.steps)} of its steps after ${Math.round(last.elapsed)} s; at this pace it ends after ` +
    `${Math.round(end)} s, and it may take ${plan.seconds} s`
  );
}
