import { differenceOf, type MeanReward } from '../../domain/learning/statistics/mean-reward.ts';
import type { PlacedReference } from '../../domain/learning/statistics/references.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { plainZero } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import type { LearningRow } from './learning.ts';

/** Successive updates, with the mean reward of their batches. */
export interface Stretch {
  from: number;
  to: number;
  reward: MeanReward;
}

/** Effect of the learning in a research that has ended. */
export interface Learned {
  /** The first draws, of version 0. */
  first: Stretch;
  /** The last draws; null if there is one batch. */
  last: Stretch | null;
  references: readonly PlacedReference[];
}

/** Number of last updates whose batches are taken together: single batches are noisy. */
const MOST_AVERAGED = 5;

/**
 * Numbers of the updates that are compared: the first one with a reward, and up to five last ones without the first.
 * Undefined if no update has a reward.
 */
export function comparedUpdates(rows: readonly Pick<LearningRow, 'update' | 'reward'>[]) {
  const rewarded = rows.flatMap(({ update, reward }) => (reward === null ? [] : [update]));
  const [first, ...later] = rewarded;
  return first === undefined ? undefined : { first: [first], last: later.slice(-MOST_AVERAGED) };
}

/** Describes what learning bought beyond the first draws, in one sentence; then references and fired gates. */
export function describeLearned({ first, last, references }: Learned, rows: readonly LearningRow[]): string {
  return [
    last === null ? `mean reward ${meanText(first)}` : gainText(first, last),
    ...references.map(referenceText),
    `gates that fired: ${gatesIn(rows) || 'none'}`,
  ].join('; ');
}

function gainText(first: Stretch, last: Stretch): string {
  const { value, error } = differenceOf(first.reward, last.reward);
  const interval = error === null ? `${text(value)}, with an unknown error,` : `${text(value)} ± ${text(error)} (95 %)`;
  return (
    `learning bought ${interval} of mean reward beyond the first draws: from ${meanText(first)} to ` +
    `${meanText(last)}, by values that the policy learnt from`
  );
}

const meanText = ({ from, to, reward }: Stretch): string =>
  `${text(reward.mean)} (${from === to ? `update ${from}` : `updates ${from} to ${to}`})`;

/** A reference with the task's value if it was shifted, or with the reason why it was not. */
function referenceText({ name, value, shift, stays }: PlacedReference): string {
  const [shown, stated] = [text(value), text(value - shift)];
  if (stays !== null) return `${oneLine(name)} ${shown} (not shifted to this baseline: ${stays})`;
  return shown === stated
    ? `${oneLine(name)} ${shown}`
    : `${oneLine(name)} ${shown} (${stated}, shifted to this baseline)`;
}

const text = (value: number): string => plainZero(value.toFixed(2));

function gatesIn(rows: readonly LearningRow[]): string {
  const times = new Map<string, number>();
  for (const gate of rows.flatMap(({ gates = [] }) => gates)) times.set(gate, (times.get(gate) ?? 0) + 1);
  return [...times].map(([gate, count]) => `${gate} ${plural(count, 'time')}`).join(', ');
}
