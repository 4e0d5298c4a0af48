import { knobValuesIn } from '../../domain/edit/knob-edit.ts';
import { structureContent } from '../../domain/edit/structure.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';
import type { Knob } from '../../domain/knob/knob.ts';
import type { Observation, ObservationLimits, Observations } from '../../domain/search/observations.ts';

/** A candidate of a repeat, with what the product stores of it; the first is the original. */
export interface Candidate {
  id: string;
  files: Record<string, string>;
  proposer: string | null;
  /** Id of its parent; null: the original. */
  parent: string | null;
  knobs: KnobValues;
  structure: string;
}

/** A candidate with its outcome: the observed value and the value without noise. */
export interface Measured extends Candidate {
  value: number;
  truth: number;
}

export const candidateOf = (
  files: Record<string, string>,
  { knobs, ...origin }: { knobs: readonly Knob[] } & Pick<Candidate, 'proposer' | 'parent'>,
): Candidate => ({
  id: idOf(files),
  files,
  ...origin,
  knobs: knobValuesIn(knobs, files),
  structure: structureContent(knobs, files),
});

/** The text of a candidate's files: the product has a hash. */
export const idOf = (files: Readonly<Record<string, string>>): string => JSON.stringify(files);

interface Input {
  /** In the order of their outcomes. */
  measured: readonly Measured[];
  inFlight: readonly Candidate[];
}

const NOTHING = { direction: 'minimize', best: [], latest: [], total: 0, inFlight: [] } as const;

/** Observations as the product gives them to a proposer with these limits (db/trial/observations.ts). */
export function observationsOf({ measured, inFlight }: Input, limits?: ObservationLimits): Observations {
  if (limits === undefined) return NOTHING;
  const observed = measured.map(observationOf);
  const byValue = observed.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0));
  return {
    direction: 'minimize',
    best: byValue.slice(0, limits.best),
    latest: observed.toReversed().slice(0, limits.latest),
    total: observed.length,
    inFlight: inFlight.map(({ id, knobs, structure }) => ({ candidateId: id, knobs, structure })),
  };
}

const observationOf = ({ id, knobs, structure, proposer, value }: Measured): Observation => ({
  candidateId: id,
  knobs,
  structure,
  proposer,
  value,
  runs: 1,
  outcome: 'completed',
  seconds: 1,
  usd: 0,
});
