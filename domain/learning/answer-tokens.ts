import { endOfKnobAnswer } from '../edit/knob-answer.ts';
import type { Knob } from '../knob/knob.ts';
import { answerOf, type PolicyPrompt } from './policy-prompt.ts';

/** A drawn completion of plain text. */
export interface Completion {
  text: string;
  /** Position in `text`, in characters of Unicode, at which each token begins; null if the server does not give it. */
  offsets: readonly number[] | null;
}

/** Numbers of tokens, from the start of a completion, that decide an answer in knobs. */
export interface AnswerTokens {
  /** Up to the end of the last knob's value. */
  value: number;
  /** Up to the token that ends this value, included. */
  answer: number;
}

/** The tokens that decide an answer. Null: the answer cannot be read, or the positions of its tokens are unknown. */
export function findAnswerTokens(
  { text, offsets }: Completion,
  { prompt, ...input }: { prompt: PolicyPrompt; knobs: readonly Knob[]; files: Readonly<Record<string, string>> },
): AnswerTokens | null {
  if (offsets === null) return null;
  const answer = answerOf(prompt, text);
  const end = endOfKnobAnswer(answer, input);
  if (end === null) return null;
  const begun = answer.length - text.length;
  const last = Array.from(text.slice(0, Math.max(0, end - begun))).length;
  const behind = offsets.findIndex((offset) => offset >= last);
  const value = behind < 0 ? offsets.length : behind;
  // A token that begins right behind the value ends it. Otherwise the token before reaches beyond the value.
  return { value, answer: offsets[value] === last ? value + 1 : value };
}
