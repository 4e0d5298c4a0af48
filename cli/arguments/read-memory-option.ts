import { refused } from '../errors.ts';

const PREFIX = 'from:';

/** The research that `--memory from:ID` names. */
export function readMemoryOption(text: string): string {
  if (text.startsWith(PREFIX) && text.length > PREFIX.length) return text.slice(PREFIX.length);
  throw refused(`Expected --memory to be from:ID, such as from:nano-lm, got ${JSON.stringify(text)}.`);
}
