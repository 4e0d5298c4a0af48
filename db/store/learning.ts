// Statements about a policy, its samples and its updates, bound to a database by the store.

export { findPolicyBase, insertPolicyBase } from '../learning/policy-bases.ts';
export {
  countRollouts,
  findGroup,
  findGroupByNumber,
  keepFirstPrompt,
  insertGroup,
  insertRollout,
  findOrInsertPolicy,
} from '../learning/rollout-groups.ts';
export { findLateSamples, findRollout, loadRollouts, saveSample } from '../learning/samples.ts';
export {
  beginUpdate,
  countUpdatesWithoutVersion,
  countUpdates,
  endUpdate,
  findDueUpdates,
  findUpdate,
  findVersion,
  createDueUpdates,
  loadBatchTrials,
  noteFailedStep,
  readMetrics,
  setPolicy,
} from '../learning/updates.ts';
export { findRemovedWeights, markWeightsRemoved, noteStep, readKeptVersions } from '../learning/weights.ts';
