import type { z } from 'zod';
import type { PromptInput } from '../prompt/prompt-input.ts';
import type { Method } from '../method/axis.ts';

/** A part of a prompt, on one subject. */
export interface ContextPart {
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
  /** Number of best outcomes that the prompt shows besides the last ones; absent: none. */
  best?: (this: void, settings: Settings) => number;
}

/** Infers the type of a context's settings from their schema. */
export const defineContext = <S extends z.ZodObject>(
  rule: ContextRule<z.output<S>> & { settings: S },
): ContextRule<z.output<S>> & { settings: S } => rule;
