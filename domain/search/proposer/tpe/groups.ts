import { knobKey, type KnobValues } from '../../../knob/knob-value.ts';
import type { Observation, Observations } from '../../observations.ts';
import type { Point } from '../space/even-draw.ts';
import type { Space } from '../space/set-point.ts';

/** Most observations that count as good. */
const MOST_GOOD = 25;

/** Observed points, oldest first. */
export interface Groups {
  good: readonly Point[];
  bad: readonly Point[];
  /** Number of observations with an outcome that the search knows. */
  seen: number;
}

export interface GroupInput {
  space: Space;
  observations: Observations;
  /** Structure of the parent. */
  structure: string | null;
}

/**
 * Divides the candidates of the parent's structure into good and bad. The best min(⌈share · n⌉, 25) of n with a value
 * are good. Failures are bad, and so is a candidate in flight, so that concurrent draws spread. A candidate whose only
 * runs were lost says nothing about its values and is left out.
 */
export function groupsOf({ space, observations, structure }: GroupInput, { share }: { share: number }): Groups {
  const { direction, best, latest, inFlight } = observations;
  const isOurs = (seen: { structure: string | null }): boolean => seen.structure === structure;
  const ours = new Map<string, Observation>();
  // Candidates that are among the best alone are older than the latest.
  for (const seen of [...latest, ...best])
    if (isOurs(seen) && seen.outcome !== 'lost') ours.set(seen.candidateId, ours.get(seen.candidateId) ?? seen);
  const sign = direction === 'minimize' ? 1 : -1;
  const ranked = [...ours.values()]
    .filter(({ value }) => value !== null)
    .toSorted((a, b) => sign * ((a.value ?? 0) - (b.value ?? 0)));
  const good = new Set(ranked.slice(0, Math.min(Math.ceil(share * ours.size), MOST_GOOD)));
  const bad = [...latest].reverse().filter((seen) => ours.has(seen.candidateId) && !good.has(seen));
  return {
    good: pointsOf([...good], space),
    bad: pointsOf([...bad, ...inFlight.filter(isOurs)], space),
    seen: ours.size,
  };
}

/** Points of the candidates; those that lack a number are left out. */
const pointsOf = (all: readonly { knobs: KnobValues }[], { knobs, axes }: Space): Point[] =>
  all.flatMap(({ knobs: values }) => {
    const point = axes.map((axis, i) => {
      const knob = knobs[i];
      const position = knob === undefined ? null : axis.position(values[knobKey(knob)]);
      // A choice that the space no longer has equals no other.
      return position ?? (axis.kind === 'choice' ? -1 : null);
    });
    return point.includes(null) ? [] : [point as number[]];
  });
