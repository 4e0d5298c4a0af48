import type { KnobValues } from '../../knob/knob-value.ts';
import type { Knob } from '../../knob/knob.ts';

/** A candidate at its first score. */
export interface Placing {
  isOriginal: boolean;
  /** Number of its node. */
  seq: number;
  /** Niche of its parent. */
  parentNiche: string | null;
  /** Niche that its parent was chosen for; null: another rule chose the parent, or a person. */
  chosenNiche: string | null;
  /** Values of the task's knobs in its files; empty unless the rule reads them. */
  knobs: KnobValues;
  /** Numbers of the evaluator in this run; empty unless the rule reads them. */
  metrics: Readonly<Record<string, number>>;
}

/** A niche as it is stored. An inactive one is not read. */
export interface StoredNiche {
  key: string;
  begun: number | null;
  isActive: boolean;
}

/** Divides the nodes of a tree into niches. A niche is a function of its input, since a tree may be built anew. */
export interface Niches<Settings = never> {
  /** Data of a candidate that its niche depends on. */
  reads: (this: void, settings: Settings, knobs: readonly Knob[]) => { knobs: boolean; metrics: boolean };
  /** Null: the candidate belongs to no niche. */
  nicheOf: (this: void, placing: Placing, input: { settings: Settings; knobs: readonly Knob[] }) => string | null;
  /**
   * Niches of a tree that is built anew. `placed`: those with a node, each with the number of its first.
   * `chosen`: those that parents were chosen for. Default: all of `placed`.
   */
  list?: (
    this: void,
    input: { placed: ReadonlyMap<string, number>; chosen: readonly string[] },
    settings: Settings,
  ) => StoredNiche[];
}
