import { oneLine } from '../../domain/text/clean.ts';
import { significant } from '../../domain/text/format.ts';
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
