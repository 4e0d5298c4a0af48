import type { Overrides } from '../overrides.ts';

/** A method as overrides of a research. The task sets the proposer, unless the overrides name one. */
export interface Preset {
  overrides: Overrides;
  /** The publication, or the code, that the values are from. */
  source: string;
  /** Model and hardware of the publication; null for a method that needs neither. */
  published: string | null;
  /** Differences from the publication. */
  deviations: readonly string[];
  /** Features of the publication that Perpetua does not have. */
  notBuilt: readonly string[];
}
