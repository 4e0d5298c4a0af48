import { LlmError } from '../llm.ts';

/** The key as a header can carry it; null where there is none. Throws LlmError (refused) without showing it. */
export function readKey(text: string | null): string | null {
  const key = text?.trim() ?? '';
  if (key === '') return null;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new LlmError(
    `expected OPENAI_API_KEY to be one word of ASCII letters, digits and signs, got ${key.length} characters with a space, a line break or another sign among them; copy it again`,
    { kind: 'refused' },
  );
}

/** Characters of a key that is looked for in answers; a shorter one may be a word of any text. */
const SHORTEST = 8;

/** What an endpoint says without the key that it was given, which some say back. */
export const redactKey = (said: string, key: string | null): string =>
  key === null || key.length < SHORTEST ? said : said.replaceAll(key, '[key]');
