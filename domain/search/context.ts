import type { z } from 'zod';
import type { PromptInput } from '../prompt/prompt-input.ts';
import type { Method } from '../method/axis.ts';

/** A part of a prompt, on one subject. */
export interface ContextPart {
  /** Name in tables of tokens, such as `best`. */
  name: string;
  /** Content that the part leaves out first if its room is too short, in words that end a sentence. */
  cuts: string;
  /**
   * Tokens that the part may use in a prompt of 32,000, at 4 characters each; in a shorter prompt, its share in
   * proportion. Later parts get what it does not use.
   */
  tokens: number;
  /** True: a policy's prompt omits the part. A small model reads little, and learns from prompts that stay alike. */
  extra?: boolean;
  /** True: an agent reads its content in the work tree, so that the prompt of an agent omits the part. */
  inTree?: true;
  /** True if the part has content; else it takes no share. */
  applies: (this: void, input: PromptInput) => boolean;
  /** Text of at most `room` characters that ends with a line feed; empty if nothing fits. */
  render: (this: void, input: PromptInput, room: number) => string;
}

/** A rule for the content of a prompt, in parts. */
export interface ContextRule<Settings = never> extends Method {
  /** Parts in the order of the prompt. */
  parts: readonly ContextPart[];
  /** True: the rule needs the last `search.history` outcomes of earlier trials. */
  readsTrials: boolean;
  /** Facts besides the last outcomes that the rule's parts read; absent: none. */
  reads?: (this: void, settings: Settings) => ContextReads;
}

/** Numbers of the facts that a prompt shows of earlier trials. 0: none of them. */
export interface ContextReads {
  /** Best outcomes besides the last ones. */
  best: number;
  /** Rows of the leaderboard; with any, the prompt also has the parent's ancestors and the table of ideas. */
  lineage: number;
  /** Good candidates that differ from the parent. */
  inspirations: number;
  /** Trials without a new best after which the prompt asks for another direction. */
  stuck: number;
  /** Last trials from the parent that are compared with it. */
  saturation: number;
  /** True: the model keeps a memory. */
  memory: boolean;
}

/** Nothing besides the last outcomes. */
export const NO_READS: ContextReads = {
  best: 0,
  lineage: 0,
  inspirations: 0,
  stuck: 0,
  saturation: 0,
  memory: false,
};

/** Infers the type of a context's settings from their schema. */
export const defineContext = <S extends z.ZodObject>(
  rule: ContextRule<z.output<S>> & { settings: S },
): ContextRule<z.output<S>> & { settings: S } => rule;
