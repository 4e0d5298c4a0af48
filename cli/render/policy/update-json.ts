import type { UpdateRow } from '../../../db/reads/policy/read-update-rows.ts';

/** An update with `--json`; a contract. `version`: the version that it made; `parent`: the version before it. */
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
