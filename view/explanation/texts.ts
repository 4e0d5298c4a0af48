import { LEAST_CANDIDATES, type KnobExplanation } from '../../domain/explanation/explanation.ts';
import { percent } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

interface Candidates {
  total: number;
  scored: number;
  used: number;
  withoutScore: Readonly<Record<string, number>>;
  ofOlderTasks: number;
}

/** The importance of a knob with its interval, or the reason why there is none. */
export function importanceText({ share, interval, without }: KnobExplanation): string {
  if (without !== null) return without;
  if (share === null || interval === null) return 'no difference';
  return `${percent(share)} [${Math.round(interval[0] * 100)}, ${Math.round(interval[1] * 100)}]`;
}

/** How often shuffled values give a knob as much importance; a knob without influence is below 5 % once in twenty. */
export function chanceText({ chance, without, share }: KnobExplanation): string {
  if (without !== null || share === null) return '–';
  return chance < 0.01 ? '< 1 %' : percent(chance);
}

/** The values of a knob among the best candidates. */
export function topValuesText({ topValues }: KnobExplanation): string {
  if (topValues === null) return '–';
  return topValues.from === topValues.to ? topValues.from : `${topValues.from} to ${topValues.to}`;
}

/** Candidates behind an explanation, and those that it leaves out. */
export function candidatesText(candidates: Candidates, top: number): string[] {
  const { total, scored, used, withoutScore, ofOlderTasks } = candidates;
  const sampled = used < scored ? `, of which ${used} were sampled by their ids` : '';
  const failed = Object.entries(withoutScore).map(([outcome, n]) => `${n} ${outcome}`);
  return [
    `${scored} of ${plural(total, 'candidate')} have a score${sampled}; the top are the best ${top}`,
    ...(used < LEAST_CANDIDATES
      ? [`too few trials: importances need ${LEAST_CANDIDATES} candidates with a score`]
      : []),
    ...(failed.length > 0 ? [`left out, without a score: ${failed.join(', ')}`] : []),
    ...(ofOlderTasks > 0 ? [`left out, of older versions of the task: ${ofOlderTasks}`] : []),
  ];
}
