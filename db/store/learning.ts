// Statements about a policy, its samples and its updates, bound to a database by the store.

export {
  countRollouts,
  findGroup,
  findGroupByNumber,
  fixPrompt,
  insertGroup,
  insertRollout,
  openPolicy,
} from '../learning/join-group.ts';
export { findLate, findRollout, loadRollouts, saveSample } from '../learning/samples.ts';
export {
  beginUpdate,
  countBarren,
  countUpdates,
  endUpdate,
  findDue,
  findUpdate,
  findVersion,
  markDue,
  noteFailedStep,
  readMetrics,
  setPolicy,
} from '../learning/updates.ts';
export { findRemoved, markRemoved, noteStep, readKept } from '../learning/weights.ts';
