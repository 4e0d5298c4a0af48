// Statements about a research, bound to a database by the store.

export { readCounts } from '../reads/status/read-counts.ts';
export {
  findAdmission,
  findSeeds,
  findUnfinished,
  insertTrials,
  isProposing,
  noteAdmitted,
} from '../research/admission.ts';
export { countOpenAblations, insertAblation, withdrawAblations } from '../ablation/ablations.ts';
export { readEdits } from '../ablation/read-edits.ts';
export {
  countChoice,
  creditArm,
  markArmsDown,
  markArmUp,
  rankAmongLast,
  readArms,
  uncountChoice,
} from '../research/arms.ts';
export { createResearch } from '../research/research.ts';
export {
  copyInjected,
  findInjected,
  findInjectedByKey,
  insertInjected,
  isInjected,
  reparentInjected,
  retryInjected,
  withdrawInjected,
} from '../research/injected.ts';
export {
  countOpenEvaluations,
  findEvaluatedVersion,
  findWantedEvaluations,
  insertEvaluations,
  isEvaluationRequested,
  withdrawEvaluations,
} from '../research/evaluations.ts';
export { insertClaim } from '../research/research.ts';
export { findNothingNew } from '../research/recent.ts';
export { countInARow, findRecentVerdicts, findRepeatedFailures } from '../research/recent.ts';
export {
  findNotes,
  findResearch,
  insertAlert,
  insertNote,
  recordPhase,
  recordWorkflowRun,
  updateResearch,
} from '../research/research.ts';
export { findOpening, findRestarts, findOpenIds, forgetRestart, noteRestart } from '../research/restart.ts';
export {
  countEarlyProposals,
  findWantedRuns,
  insertWantedRuns,
  numberWantedRuns,
  withdrawBaselineRuns,
  withdrawGateRuns,
  withdrawWantedRuns,
} from '../research/wanted-runs.ts';
export { findDiscardedByPerson, findRawBest } from '../research/raw-best.ts';
