import type { OutcomeClass } from './outcome-class.ts';

/** Names of the placeholders that a text for a teacher may contain. */
export type Placeholder = 'reason' | 'value' | 'answer';

/**
 * Placeholders by outcome class. A failed attempt has no `answer`: a teacher that reads it makes the student repeat it.
 */
const PLACEHOLDERS: Readonly<Record<OutcomeClass, readonly Placeholder[]>> = {
  completed: ['reason', 'value', 'answer'],
  failed: ['reason'],
  rejected: ['reason'],
  aborted: ['reason'],
};

export const placeholdersOf = (outcome: OutcomeClass): readonly string[] => PLACEHOLDERS[outcome];

const PLACEHOLDER = /\{(\w+)\}/g;

/** Names of the placeholders in a text. */
export const placeholdersIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** Fills the placeholders of a text. A placeholder inside a filled-in value stays as it is. */
export const fillTemplate = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replace(PLACEHOLDER, (match, name: string) =>
    Object.hasOwn(values, name) ? values[name as Placeholder] : match,
  );
