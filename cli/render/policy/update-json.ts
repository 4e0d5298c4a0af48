import type { UpdateRow } from '../../../db/reads/policy/read-update-rows.ts';

/**
 * An update with `--json`. Public format: do not rename keys.
 * - `version`: number of the version that the update made.
 * - `parent`: number of the version that the update started from.
 * - `versions`: versions of the trainer's programs.
 * - `held`: a person named the version, so that its weights stay.
 */
export const updateJson = ({ batch, ...update }: UpdateRow) => ({
  update: update.k,
  version: update.checkpoint === null ? null : update.k,
  state: update.state,
  reason: update.reason,
  parent: update.parent,
  parentCheckpoint: update.parentCheckpoint,
  checkpoint: update.checkpoint,
  stepKey: update.stepKey,
  samples: batch.length,
  rewardMean: update.rewardMean,
  metrics: update.metrics ?? {},
  adjustments: update.adjustments ?? {},
  fired: update.fired ?? [],
  skipped: update.skipped ?? [],
  seconds: update.seconds ?? {},
  versions: update.versions ?? {},
  dueAt: update.dueAt.toISOString(),
  begunAt: update.begunAt?.toISOString() ?? null,
  held: update.held,
  removedAt: update.removedAt?.toISOString() ?? null,
  endedAt: update.endedAt?.toISOString() ?? null,
});
