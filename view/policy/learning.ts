import { oneLine } from '../../domain/text/sanitize.ts';
import { plainZero, significant } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** State of a research's learning, as every surface shows it. Plain JSON; times are in ISO 8601. */
export interface LearningView {
  /** Version in force: the number of the update that made it; 0: the base model. */
  version: number;
  /** Hash of its checkpoint; null for the base model. */
  checkpoint: string | null;
  /** True: a person pinned the version, and nothing is learnt. */
  pinned: boolean;
  /** Reason why learning is halted until a person acts; null if it is not halted. */
  halted: string | null;
  /** First update that has not ended; `begunAt` is null until it starts. Null if none is due. */
  update: { k: number; dueAt: string; begunAt: string | null } | null;
  /**
   * Current batch: samples that have `joined`, those that have `ended`, and the full number, `of`. Null if nothing is
   * learnt.
   */
  batch: { k: number; joined: number; ended: number; of: number } | null;
  /** Samples of evaluations within the research that were requested (`of`), and that `ended`; null: none was. */
  evaluationSamples: { ended: number; of: number } | null;
  /** Mean rewards of the last batches, newest last. */
  rewards: { k: number; mean: number | null; samples: number }[];
}

/** Describes a version by its number. */
export const describeVersion = (version: number): string => (version === 0 ? 'the base model' : `version ${version}`);

/** Describes the learning of a research on one line. */
export function describeLearning({
  version,
  checkpoint,
  pinned,
  halted,
  update,
  batch,
  evaluationSamples,
  rewards,
}: LearningView): string {
  const parts = [`${describeVersion(version)} in force${checkpoint === null ? '' : ` (${checkpoint.slice(0, 12)})`}`];
  if (pinned) parts.push('pinned');
  if (halted !== null) parts.push('learning is halted');
  if (update !== null) parts.push(`update ${update.k} is ${update.begunAt === null ? 'due' : 'under way'}`);
  if (batch !== null) parts.push(describeBatch(batch));
  if (rewards.length > 0) parts.push(describeRewards(rewards));
  if (evaluationSamples !== null) {
    const { ended, of } = evaluationSamples;
    parts.push(`evaluations: ${ended} of ${plural(of, 'sample')} ended`);
  }
  return parts.join(' · ');
}

/** Describes the current batch. */
export const describeBatch = ({ k, joined, ended, of }: NonNullable<LearningView['batch']>): string =>
  `batch ${k}: ${joined} of ${plural(of, 'sample')}, ${ended} ended`;

function describeRewards(rewards: LearningView['rewards']): string {
  const means = rewards.map(({ mean }) => (mean === null ? '–' : significant(mean, 3))).join(', ');
  return `mean reward ${means} in the last ${rewards.length === 1 ? 'batch' : `${rewards.length} batches`}`;
}

/** Lines about a pinned policy or halted learning, with the command to go on; empty if neither applies. */
export function learningLines({
  learning,
  workflowId,
}: {
  learning: Pick<LearningView, 'version' | 'pinned' | 'halted'> | null;
  workflowId: string;
}): string[] {
  if (learning === null) return [];
  const { version, pinned, halted } = learning;
  const lines: string[] = [];
  if (pinned)
    lines.push(
      `the policy is pinned to ${describeVersion(version)} and learns nothing. ` +
        `To learn again: npx perpetua policy pin ${workflowId} --off`,
    );
  if (halted !== null)
    lines.push(
      `learning is halted: ${oneLine(halted)}. ` +
        `To continue from ${describeVersion(version)}: npx perpetua policy rollback ${workflowId} ${version}`,
    );
  return lines;
}

/** Results of the batch of one update. */
export interface LearningRow {
  /** Number of the update, from 1. */
  update: number;
  /** Mean reward of its batch; null if no sample has a reward. */
  reward: number | null;
  /** Share of the samples that could be read and run, 0 to 1. */
  legal: number | null;
  /** Entropy of the policy, in nats a token. */
  entropy: number | null;
  /** Names of the gates that it crossed. */
  gates?: readonly string[];
}

/** Describes the batch of an update on one line. */
export function describeUpdate({ update, reward, legal, entropy, gates = [] }: LearningRow): string {
  const part = (name: string, value: number | null, format: (value: number) => string): string[] =>
    value === null ? [] : [`${name} ${format(value)}`];
  const parts = [
    `update ${update}`,
    ...part('reward', reward, text),
    ...part('legal', legal, (value) => `${Math.round(100 * value)} %`),
    ...part('entropy', entropy, (value) => plainZero(value.toFixed(3))),
  ];
  if (gates.length > 0) parts.push(`gates ${gates.join(', ')}`);
  return parts.join(' · ');
}

const text = (value: number): string => plainZero(value.toFixed(2));
