import { buildMessages, type PromptOptions } from './build-messages.ts';
import type { PromptInput } from './prompt-input.ts';

/** A prompt that a model sees only part of. */
export interface PromptCut {
  /** Characters that it is sent, and that it would be without a limit. */
  shown: number;
  whole: number;
  /** What alone is too long; empty where only all of it together is. */
  parts: ('files' | 'prompt')[];
}

/** What the limit of a prompt takes from this one before there is any history; null where all of it is sent. */
export function promptCut(input: PromptInput, { parts: told }: Pick<PromptOptions, 'parts'>): PromptCut | null {
  const lengthOf = (input: PromptInput, characters?: number): number =>
    buildMessages(input, { parts: told, ...(characters === undefined ? {} : { characters }) }).reduce(
      (sum, { content }) => sum + content.length,
      0,
    );
  const [shown, whole] = [lengthOf(input), lengthOf(input, Number.MAX_SAFE_INTEGER)];
  if (shown >= whole) return null;
  const alone = { files: { ...input, prompt: null }, prompt: { ...input, files: {} } };
  const parts = (['files', 'prompt'] as const).filter((part) => {
    const one = alone[part];
    return lengthOf(one) < lengthOf(one, Number.MAX_SAFE_INTEGER);
  });
  return { shown, whole, parts };
}
