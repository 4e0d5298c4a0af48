import { asSettings, choiceText } from '../../method/axis.ts';
import { UnknownMethod } from '../../method/unknown-method.ts';
import type { ParentRule } from '../parent.ts';
import { chooserOf } from '../proposer/makers.ts';
import { AUTO } from '../proposer/table.ts';
import type { Niches } from './niche.ts';
import { parentRuleOf } from './table.ts';

/** A parent rule that a search names, with its path. */
export interface NamedRule {
  path: (string | number)[];
  choice: unknown;
}

/** The parent rules of a search: its own, and those of the arms of its mixture. Throws as `proposerOf` does. */
export function parentRulesIn({ parent, proposer }: { parent: unknown; proposer: unknown }): NamedRule[] {
  const arms = proposer === AUTO ? [] : (chooserOf(proposer)?.arms ?? []);
  return [
    { path: ['search', 'parent'], choice: parent },
    ...arms.flatMap(({ arm }, index) =>
      arm.parent === undefined ? [] : { path: ['search', 'proposer', 'arms', index, 'parent'], choice: arm.parent },
    ),
  ];
}

/** A rule with niches, with its settings. */
export interface NicheRule {
  /** The rule as text, with all settings. Rules with equal texts have the same niches. */
  text: string;
  niches: Niches;
  settings: never;
}

/** The niches of a parent rule; null if it has none. Throws as `parentRuleOf` does. */
export function nicheRuleOf(choice: unknown): NicheRule | null {
  const { name, method, settings } = parentRuleOf(choice);
  const { niches }: ParentRule = method;
  return niches === undefined
    ? null
    : { text: choiceText({ name, ...settings }), niches, settings: asSettings(settings) };
}

/** The niches of a search; null if none of its parent rules has niches, or if this build does not know a rule. */
export function nichesIn(search: { parent: unknown; proposer: unknown }): NicheRule | null {
  try {
    return parentRulesIn(search).flatMap(({ choice }) => nicheRuleOf(choice) ?? [])[0] ?? null;
  } catch (error) {
    if (error instanceof UnknownMethod) return null;
    throw error;
  }
}
