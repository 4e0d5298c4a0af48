import type { z } from 'zod';
import type { PromptInput } from '../prompt/prompt-input.ts';
import type { Method } from '../method/axis.ts';

/** One part of a prompt: what it tells of one thing. */
export interface ContextPart {
  /**
   * Tokens that it may take of a prompt of 32,000, estimated at 4 characters each; in a shorter prompt its share. What it
   * leaves goes to the parts after it.
   */
  tokens: number;
  /** Left out of the prompt of a policy: a small model reads little, and learns from prompts that stay alike. */
  extra?: boolean;
  /** Whether there is anything to tell; a part that has nothing takes no share. */
  applies: (this: void, input: PromptInput) => boolean;
  /** Text of at most `room` characters that ends with a line feed; empty where nothing fits. */
  render: (this: void, input: PromptInput, room: number) => string;
}

/** The content of a prompt, in parts. */
export interface ContextRule<Settings = never> extends Method {
  /** In the order in which they stand in the prompt. */
  parts: readonly ContextPart[];
  /** Whether outcomes of earlier trials are read for it, `search.history` of them. */
  readsTrials: boolean;
  /** How many of the best outcomes are shown beside the last ones; none where it is left out. */
  best?: (this: void, settings: Settings) => number;
}

/** Infers the type of a context's settings from their schema. */
export const defineContext = <S extends z.ZodObject>(
  rule: ContextRule<z.output<S>> & { settings: S },
): ContextRule<z.output<S>> & { settings: S } => rule;
