import type { z } from 'zod';
import type { Random } from '../statistics/random.ts';
import type { Edit } from '../edit/edit.ts';
import type { Knob } from '../knob/knob.ts';
import type { Method } from '../method/axis.ts';
import type { Arm, Credit, ProposerChoice } from './mixture/arm.ts';
import type { OperatorWeights } from './operator/table.ts';
import type { Specialist } from './specialist/specialist.ts';
import type { Observations, ObservationLimits } from './observations.ts';

/** Requirements: knobs in the task; a model endpoint, a trainer or an optimizer on the worker. */
export type Need = 'knobs' | 'model' | 'policy' | 'optimizer';

/** Input of a draw without observations of earlier candidates. */
export interface KnobInput {
  knobs: readonly Knob[];
  /** The parent's mutable files: path to text. */
  files: Record<string, string>;
  /** The proposer's seed. A second draw for the same trial has another seed. */
  seed: number;
}

/** Input of a draw. */
export interface DrawInput extends KnobInput {
  /** Observations of earlier candidates; empty unless the proposer states `observes`. */
  observations: Observations;
  /** Structure of the parent's files, as observations have it. */
  structure: string | null;
}

/** Edits to the parent's files and their purpose, or the reason why there are none. */
export type Draw = { ok: true; edits: Edit[]; hypothesis: string } | { ok: false; reason: string };

/**
 * Action if all of a proposer's draws for one trial gave known candidates. `neighbours`: the trial takes other values
 * of the knobs, under the name `neighbours`; `stop`: the trial has no proposal, and the research ends.
 */
export type OnKnown = 'neighbours' | 'stop';

/** Facts about a proposer, and its `draw` if it has no effects. */
export interface Proposer<Settings = never> extends Method {
  needs: readonly Need[];
  /** Further needs, which depend on the settings. */
  needsBy?: (this: void, settings: Settings) => readonly Need[];
  /** Scope of its changes. `knobs`: values that the task declares. `code`: anything, so that its runs get a sandbox. */
  writes: 'knobs' | 'code';
  /** True if it cannot set choices. */
  numbersOnly?: true;
  /** True if its prompt contains people's notes and the history of the search. */
  readsPrompt: boolean;
  /**
   * `at-once`: in the workflow task itself, within a second. `queued`: on a queue of its own, without a time limit.
   * `job`: by a coding agent, in a job of kind `proposal`.
   */
  runs: 'at-once' | 'queued' | 'job';
  /** Weights of the operators of which each of its trials draws one; null: its prompt asks for any change. */
  operators?: (this: void, settings: Settings) => OperatorWeights | null;
  /** The part of the program that its proposals may change; null: all of it. */
  specialist?: (this: void, settings: Settings) => Specialist | null;
  /** True if it samples a policy, which may learn from the outcomes of its proposals. */
  learns?: boolean;
  /** Number of the best and of the latest earlier candidates that a draw receives. */
  observes?: ObservationLimits;
  /**
   * Makes a proposal without effects. If absent, the proposer needs an activity (effectful-proposers.ts in
   * activities/propose).
   */
  draw?: (this: void, input: DrawInput, settings: Settings) => Draw;
  /** Required together with `draw`. */
  onKnown?: OnKnown;
  /**
   * Lists draws without effects, in order, in place of `draw`. A trial takes the first that is a new candidate. If the
   * list has none, the trial has no proposal, and the research ends.
   */
  list?: (this: void, input: DrawInput, settings: Settings) => Iterable<Draw>;
  /** True if it has an activity of its own, and a trial that it ends as `nothing-new` may end the research. */
  runsOut?: true;
}

/** Input of a choice among proposers. */
export interface MixtureInput {
  /** The trial's number. */
  n: number;
  /** Observations of earlier candidates; empty unless the mixture states `observes`. */
  observations: Observations;
  random: Random;
  /** Sums over the research's trials that began with an arm. */
  creditOf: (arm: Arm) => Credit;
  /** True if a need of the arm is gone, such as an endpoint that does not answer. */
  isDown: (arm: Arm) => boolean;
}

/** Chooses one of several proposers for each trial, in the transaction that begins the trial. */
export interface Mixture<Settings = never> extends Method {
  /** Proposers that it may choose, none a mixture. A research must meet the needs of all of them. */
  among: (this: void, settings: Settings) => readonly ProposerChoice[];
  /** Number of the best and of the latest earlier candidates that a choice receives. */
  observes?: ObservationLimits;
  /** Arms that `choose` may return; default: the proposers of `among`, each with the research's parent rule. */
  arms?: (this: void, settings: Settings) => readonly Arm[];
  /** True if its choices depend on USD, so that each model that an arm asks needs a price; default: false. */
  needsPrices?: (this: void, settings: Settings) => boolean;
  /**
   * Returns one of `among`, and the reason, which is stored with the trial. `parent`: a rule in place of the
   * research's.
   */
  choose: (this: void, input: MixtureInput, settings: Settings) => Arm & { reason: string };
}

/** Infers the type of a mixture's settings from their schema. */
export const defineMixture = <S extends z.ZodObject>(
  mixture: Mixture<z.output<S>> & { settings: S },
): Mixture<z.output<S>> & { settings: S } => mixture;

/** A proposer that draws, with its settings' schema. */
export type DrawingProposer<S extends z.ZodObject> = Proposer<z.output<S>> &
  Required<Pick<Proposer<z.output<S>>, 'draw' | 'onKnown'>> & { settings: S };
/** A proposer that lists its draws, with its settings' schema. */
export type ListingProposer<S extends z.ZodObject> = Omit<Proposer<z.output<S>>, 'draw' | 'onKnown'> &
  Required<Pick<Proposer<z.output<S>>, 'list'>> & { settings: S; draw?: never; onKnown?: never };
/** A proposer that has an activity of its own. */
export type AskingProposer<S extends z.ZodObject> = Omit<Proposer<z.output<S>>, 'draw' | 'onKnown' | 'list'> & {
  settings: S;
  draw?: never;
  onKnown?: never;
  list?: never;
};

/** Infers the type of a proposer's settings from their schema. */
export function defineProposer<S extends z.ZodObject>(proposer: DrawingProposer<S>): DrawingProposer<S>;
export function defineProposer<S extends z.ZodObject>(proposer: ListingProposer<S>): ListingProposer<S>;
export function defineProposer<S extends z.ZodObject>(proposer: AskingProposer<S>): AskingProposer<S>;
export function defineProposer(proposer: Proposer): Proposer {
  return proposer;
}
