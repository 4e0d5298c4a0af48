import { LlmError } from '../llm.ts';

/** Returns the key as a header can carry it; null if there is none. Throws LlmError (refused), which hides the key. */
export function readKey(text: string | null): string | null {
  const key = text?.trim() ?? '';
  if (key === '') return null;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new LlmError(
    `expected OPENAI_API_KEY to be one word of ASCII letters, digits and signs, got ${key.length} characters ` +
      'with a space, a line break or another sign among them; copy it again',
    { kind: 'refused' },
  );
}

/** Least length of a key that is removed from answers; a shorter one may be part of any text. */
const SHORTEST = 8;

/** Removes the key from an endpoint's text, since some endpoints repeat it. */
export const redactKey = (text: string, key: string | null): string =>
  key === null || key.length < SHORTEST ? text : text.replaceAll(key, '[key]');
