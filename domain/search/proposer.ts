import type { z } from 'zod';
import type { Random } from '../statistics/random.ts';
import type { Edit } from '../edit/edit.ts';
import type { Knob } from '../knob/knob.ts';
import type { Method } from '../method/axis.ts';
import type { Observations, Reach } from './observations.ts';

/** Requirements: knobs in the task, a model endpoint or a trainer on the worker. */
export type Need = 'knobs' | 'model' | 'policy';

/** Input of a draw that reads nothing of earlier candidates. */
export interface KnobInput {
  knobs: readonly Knob[];
  /** The parent's mutable files: path to text. */
  files: Record<string, string>;
  /** The proposer's seed; a second draw for the same trial has another. */
  seed: number;
}

/** Input of a draw. */
export interface DrawInput extends KnobInput {
  /** Of earlier candidates; empty unless the proposer states `observes`. */
  observations: Observations;
}

/** Edits to the parent's files and what they are meant to do; or why there are none. */
export type Draw = { ok: true; edits: Edit[]; hypothesis: string } | { ok: false; reason: string };

/**
 * Action after a proposer's draws for one trial gave known candidates alone. `neighbours`: other values of the knobs are
 * taken, under the name `neighbours`; `stop`: the trial has no proposal, and the research ends.
 */
export type OnKnown = 'neighbours' | 'stop';

/** Facts about a proposer, and its draw where it has no effects. */
export interface Proposer<Settings = never> extends Method {
  needs: readonly Need[];
  /** Needs that its settings bring beside those. */
  needsBy?: (this: void, settings: Settings) => readonly Need[];
  /** `knobs`: only values that the task declared change; `code`: anything may, so that its runs get a sandbox. */
  writes: 'knobs' | 'code';
  /** Whether people's notes and the history of the search reach it. */
  readsPrompt: boolean;
  /** `at-once`: in the workflow task itself, within a second; `queued`: on a queue of its own, for as long as it takes. */
  runs: 'at-once' | 'queued';
  /** It samples a policy, which may learn from what its proposals bring. */
  learns?: boolean;
  /** How many earlier candidates are read for a draw, the best and the latest ones. */
  observes?: Reach;
  /** Makes a proposal without effects. A proposer that has none needs an activity of its own. */
  draw?: (this: void, input: DrawInput, settings: Settings) => Draw;
  /** Stated by each proposer that draws. */
  onKnown?: OnKnown;
}

/** A proposer as a task names it: its name, or its name with settings. */
export type ProposerChoice = string | Readonly<{ name: string } & Record<string, unknown>>;

/** Input of a choice among proposers. */
export interface MixtureInput {
  /** The trial's number. */
  n: number;
  /** Of earlier candidates; empty unless the mixture states `observes`. */
  observations: Observations;
  random: Random;
}

/** A proposer that leaves each proposal to another one, chosen in the transaction that begins the trial. */
export interface Mixture<Settings = never> extends Method {
  /** Every proposer that it may choose, none of them a mixture. What any of them needs, a research has to have. */
  among: (this: void, settings: Settings) => readonly ProposerChoice[];
  /** How many earlier candidates are read for a choice, the best and the latest ones. */
  observes?: Reach;
  /** One of `among`, and why that one; the reason is stored with the trial. */
  choose: (this: void, input: MixtureInput, settings: Settings) => { proposer: ProposerChoice; reason: string };
}

/** Infers the type of a mixture's settings from their schema. */
export const defineMixture = <S extends z.ZodObject>(
  mixture: Mixture<z.output<S>> & { settings: S },
): Mixture<z.output<S>> & { settings: S } => mixture;

/** A proposer that draws, with its settings' schema. */
export type Drawing<S extends z.ZodObject> = Proposer<z.output<S>> &
  Required<Pick<Proposer<z.output<S>>, 'draw' | 'onKnown'>> & { settings: S };
/** A proposer that has an activity of its own. */
export type Asking<S extends z.ZodObject> = Omit<Proposer<z.output<S>>, 'draw' | 'onKnown'> & {
  settings: S;
  draw?: never;
  onKnown?: never;
};

/** Infers the type of a proposer's settings from their schema. */
export function defineProposer<S extends z.ZodObject>(proposer: Drawing<S>): Drawing<S>;
export function defineProposer<S extends z.ZodObject>(proposer: Asking<S>): Asking<S>;
export function defineProposer(proposer: Proposer): Proposer {
  return proposer;
}
