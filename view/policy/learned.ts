import { plainZero } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** One update of a policy: what its batch earned. */
export interface LearningRow {
  /** Number of the update, from 1. */
  update: number;
  /** Mean over its batch; null if no sample has a reward. */
  reward: number | null;
  /** Share of the samples that could be read and run, 0 to 1. */
  legal: number | null;
  /** Of the policy, in nats a token. */
  entropy: number | null;
  /** Gates that it crossed, in words. */
  gates?: readonly string[];
}

/** A mean reward to compare with. */
export interface Reference {
  name: string;
  value: number;
}

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

/** The batch of an update on one line. */
export function describeUpdate({ update, reward, legal, entropy, gates = [] }: LearningRow): string {
  const part = (name: string, value: number | null, format: (value: number) => string): string[] =>
    value === null ? [] : [`${name} ${format(value)}`];
  return [
    `update ${update}`,
    ...part('reward', reward, text),
    ...part('legal', legal, (value) => `${Math.round(100 * value)} %`),
    ...part('entropy', entropy, (value) => plainZero(value.toFixed(3))),
    ...(gates.length > 0 ? [`gates ${gates.join(', ')}`] : []),
  ].join(' · ');
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
