import type { OutcomeClass } from './outcome-class.ts';

/** Names that a text for a teacher may have filled in. */
export type Placeholder = 'reason' | 'value' | 'answer';

/** Of a failed attempt never the answer: a teacher that sees it makes the student repeat it. */
const PLACEHOLDERS: Readonly<Record<OutcomeClass, readonly Placeholder[]>> = {
  completed: ['reason', 'value', 'answer'],
  failed: ['reason'],
  rejected: ['reason'],
  aborted: ['reason'],
};

export const placeholdersOf = (of: OutcomeClass): readonly string[] => PLACEHOLDERS[of];

const PLACE = /\{(\w+)\}/g;

/** Names of the placeholders in a text. */
export const placeholdersIn = (text: string): string[] => [...text.matchAll(PLACE)].map(([, name = '']) => name);

/** A text with its placeholders filled in, once: what is filled in is not read again. */
export const fillTemplate = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replace(PLACE, (place, name: string) => (Object.hasOwn(values, name) ? values[name as Placeholder] : place));
