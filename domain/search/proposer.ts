import type { z } from 'zod';
import type { Edit } from '../edit/edit.ts';
import type { Knob } from '../task/schema/knob.ts';

/** Requirements: knobs in the task, a model endpoint or a trainer on the worker. */
export type Need = 'knobs' | 'model' | 'policy';

/** Input of a draw. */
export interface DrawInput {
  knobs: readonly Knob[];
  /** The parent's mutable files: path to text. */
  files: Record<string, string>;
  /** The proposer's seed; a second draw for the same trial has another. */
  seed: number;
}

/** Edits to the parent's files and what they are meant to do; or why there are none. */
export type Draw = { ok: true; edits: Edit[]; hypothesis: string } | { ok: false; reason: string };

/** Facts about a proposer, and its draw where it has no effects. */
export interface Proposer<Settings extends z.ZodObject = z.ZodObject> {
  settings: Settings;
  needs: readonly Need[];
  /** Needs that its settings bring beside those. */
  needsBy?(this: void, settings: z.output<Settings>): readonly Need[];
  /** `knobs`: only values that the task declared change; `code`: anything may, so that its runs get a sandbox. */
  writes: 'knobs' | 'code';
  /** Whether people's notes and the history of the search reach it. */
  readsPrompt: boolean;
  /** `at-once`: in the workflow task itself, within a second; `queued`: on a queue of its own, for as long as it takes. */
  runs: 'at-once' | 'queued';
  /** It samples a policy, which may learn from what its proposals bring. */
  learns?: boolean;
  /** Makes a proposal without effects. A proposer that has none needs an activity of its own. */
  draw?(this: void, input: DrawInput, settings: z.output<Settings>): Draw;
}
