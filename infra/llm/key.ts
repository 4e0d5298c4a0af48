import { LlmError } from '../llm.ts';

/**
 * Returns the key of a variable without spaces around it; null if it is empty. Throws LlmError (refused) if a header
 * cannot carry the key; the error does not show it.
 */
export function readKey(text: string | null, variable = 'OPENAI_API_KEY'): string | null {
  const key = text?.trim() ?? '';
  if (key === '') return null;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new LlmError(
    `expected ${variable} to be printable ASCII without spaces, got ${key.length} characters, ` +
      'some of them not allowed; copy the key again',
    { kind: 'refused' },
  );
}

/** Least length of a key that is removed from answers; a shorter key may be part of any text. */
export const SHORTEST_REDACTED = 8;

/** Removes the key from an endpoint's text, since some endpoints repeat it. */
export const redactKey = (text: string, key: string | null): string =>
  key === null || key.length < SHORTEST_REDACTED ? text : text.replaceAll(key, '[key]');
