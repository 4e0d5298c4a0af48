import { plainZero } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';
import type { LearningRow, Reference } from './learning-curve.ts';

/** Updates at either end whose mean is told: single ones are noisy. */
const SOME = 5;

/** A sentence about all that a policy has learnt; null where nothing has a reward. */
export function describeLearned(rows: readonly LearningRow[], references: readonly Reference[] = []): string | null {
  const rewarded = rows.flatMap(({ update, reward }) => (reward === null ? [] : [{ update, reward }]));
  if (rewarded.length === 0) return null;
  const some = Math.min(SOME, Math.max(1, Math.floor(rewarded.length / 2)));
  const [first, last] = [rewarded.slice(0, some), rewarded.slice(-some)];
  return [
    `mean reward from ${meanOf(first)} (${spanOf(first)}) to ${meanOf(last)} (${spanOf(last)})`,
    ...references.map(({ name, value }) => `${name} ${text(value)}`),
    `gates that fired: ${gatesIn(rows) || 'none'}`,
  ].join('; ');
}

type Rewarded = { update: number; reward: number };

const text = (value: number): string => plainZero(value.toFixed(2));

const meanOf = (rows: readonly Rewarded[]): string =>
  text(rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length);

function spanOf(rows: readonly Rewarded[]): string {
  const [from, to] = [rows[0]?.update, rows.at(-1)?.update];
  return from === to ? `update ${from}` : `updates ${from} to ${to}`;
}

function gatesIn(rows: readonly LearningRow[]): string {
  const times = new Map<string, number>();
  for (const gate of rows.flatMap(({ gates = [] }) => gates)) times.set(gate, (times.get(gate) ?? 0) + 1);
  return [...times].map(([gate, count]) => `${gate} ${plural(count, 'time')}`).join(', ');
}
