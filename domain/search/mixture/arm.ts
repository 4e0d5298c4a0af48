import { choiceText } from '../../method/axis.ts';
import { shortenKey } from '../../text/shorten-key.ts';

/** A proposer as a task writes it: its name, or its name with settings. */
export type ProposerChoice = string | Readonly<{ name: string } & Record<string, unknown>>;

/** An arm of a mixture: a proposer, and a parent rule in place of the research's. */
export interface Arm {
  proposer: ProposerChoice;
  parent?: unknown;
}

/** Sums over the trials that began with an arm. */
export interface Credit {
  /** Trials that began with the arm, those in flight included. */
  chosen: number;
  /** Trials with an outcome, those excepted that a machine lost or a person stopped. */
  trials: number;
  /** Trials with a score. */
  scored: number;
  /** Sum of their rewards, each between 0 and 1. */
  reward: number;
  /** Seconds on slots. */
  seconds: number;
  /** USD of model calls. */
  usd: number;
}

export const NO_CREDIT: Credit = { chosen: 0, trials: 0, scored: 0, reward: 0, seconds: 0, usd: 0 };

/**
 * The key under which an arm's credit is stored: its proposer and parent rule as written, in a fixed order of keys. It
 * does not depend on the other arms.
 */
export const armKey = ({ proposer, parent }: Arm): string =>
  shortenKey(parent === undefined ? proposerText(proposer) : `${proposerText(proposer)} from ${textOf(parent)}`);

/** A specialist is shown by its name, which no other arm has. */
function proposerText(choice: ProposerChoice): string {
  const named = typeof choice === 'string' ? undefined : (choice['specialist'] as { name?: unknown } | undefined)?.name;
  return typeof named === 'string' && typeof choice !== 'string' ? `${choice.name} as ${named}` : textOf(choice);
}

const textOf = (choice: unknown): string => choiceText(sorted(choice));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
