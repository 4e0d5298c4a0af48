import type { Knob } from '../../domain/knob/knob.ts';
import type { KnobValue } from '../../domain/knob/knob-value.ts';

/** A function of knobs; lower is better. */
export interface Problem {
  name: string;
  knobs: readonly Knob[];
  /** Standard deviation of the normal noise of one run. */
  noise: number;
  /** The true value at the knobs' values, in their order. */
  value(values: readonly KnobValue[]): number;
}
