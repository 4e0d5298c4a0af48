import { formatSeconds, formatUsd, percent, significant } from '../../domain/text/format.ts';

/** An arm of a mixture, as a status shows it. Rewards are between 0 and 1, costs are means of one trial. */
export interface ArmView {
  /** Proposer, and parent rule if it is not the research's. */
  key: string;
  /** Trials that began with it, and their share of all trials of the mixture. */
  trials: number;
  share: number;
  /** Mean reward of a trial; null before the first outcome. */
  reward: number | null;
  /** Seconds on slots; null before the first outcome. */
  seconds: number | null;
  /** USD of model calls; null before the first outcome. */
  usd: number | null;
  /** Error of its endpoint, for which it is not chosen at present; null if there is none. */
  down: string | null;
}

/** Describes the arms of a mixture on one line; null without a mixture. */
export function describeArms(arms: readonly ArmView[]): string | null {
  return arms.length === 0 ? null : arms.map(describeArm).join('; ');
}

/** Describes one arm: `random from best: 25 % of the trials, reward 0.4, 12 s`. */
export function describeArm({ key, share, reward, seconds, usd, down }: ArmView): string {
  const parts = [`${percent(share)} of the trials`];
  if (reward !== null) parts.push(`reward ${significant(reward, 2)}`);
  if (seconds !== null) parts.push(formatSeconds(seconds));
  if (usd !== null && usd > 0) parts.push(formatUsd(usd));
  if (down !== null) parts.push(`not chosen: ${down}`);
  return `${key}: ${parts.join(', ')}`;
}
