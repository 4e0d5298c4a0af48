import { oneLine } from '../../domain/text/sanitize.ts';
import { plainZero, significant } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** Where the learning of a research stands, as every surface shows it. Plain JSON; times are ISO. */
export interface LearningView {
  /** The version in force, by the number of the update that made it; 0: the model as it came. */
  version: number;
  /** Its hash; null for the model as it came. */
  checkpoint: string | null;
  /** A person's wish: that version stays, nothing is learnt. */
  pinned: boolean;
  /** Why nothing more is learnt until a person acts; null while it goes on. */
  halted: string | null;
  /** The first update that has not ended; `begunAt` is null until it is under way. Null where none is due. */
  update: { k: number; dueAt: string; begunAt: string | null } | null;
  /** The batch that fills: samples that have joined it, those of which the outcome is known, and those that make it whole. Null where nothing is learnt. */
  batch: { k: number; joined: number; ended: number; of: number } | null;
  /** Mean rewards of the last batches, the newest last. */
  rewards: { k: number; mean: number | null; samples: number }[];
}

/** A version by its number, in words. */
export const describeVersion = (version: number): string =>
  version === 0 ? 'the model as it came' : `version ${version}`;

/** The learning of a research on one line. */
export function describeLearning({
  version,
  checkpoint,
  pinned,
  halted,
  update,
  batch,
  rewards,
}: LearningView): string {
  const marks = [...(pinned ? ['pinned'] : []), ...(halted === null ? [] : ['learning is halted'])];
  return [
    `${describeVersion(version)} in force${checkpoint === null ? '' : ` (${checkpoint.slice(0, 12)})`}`,
    ...marks,
    ...(update === null ? [] : [`update ${update.k} is ${update.begunAt === null ? 'due' : 'under way'}`]),
    ...(batch === null ? [] : [describeBatch(batch)]),
    ...(rewards.length === 0 ? [] : [describeRewards(rewards)]),
  ].join(' · ');
}

/** The batch that fills, in words. */
export const describeBatch = ({ k, joined, ended, of }: NonNullable<LearningView['batch']>): string =>
  `batch ${k}: ${joined} of ${plural(of, 'sample')}, ${ended} ended`;

function describeRewards(rewards: LearningView['rewards']): string {
  const means = rewards.map(({ mean }) => (mean === null ? '–' : significant(mean, 3))).join(', ');
  return `mean reward ${means} in the last ${rewards.length === 1 ? 'batch' : `${rewards.length} batches`}`;
}

/** Whether a person keeps it from learning, or a gate does, and how it goes on; no line where neither is so. */
export function learningLines({
  learning,
  workflowId,
}: {
  learning: Pick<LearningView, 'version' | 'pinned' | 'halted'> | null;
  workflowId: string;
}): string[] {
  if (learning === null) return [];
  const { version, pinned, halted } = learning;
  return [
    ...(pinned
      ? [
          `the policy is pinned to ${describeVersion(version)}: nothing is learnt. To learn again: npx perpetua policy pin ${workflowId} --off`,
        ]
      : []),
    ...(halted === null
      ? []
      : [
          `learning is halted: ${oneLine(halted)}. To go on from ${describeVersion(version)}: npx perpetua policy rollback ${workflowId} ${version}`,
        ]),
  ];
}

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
interface Reference {
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
