// Statements about a research, bound to a database by the store.

export { admit } from './research/admit.ts';
export { changeBudget } from './research/change-budget.ts';
export { changeTask } from './research/change-task.ts';
export { createResearch } from './research/create-research.ts';
export { injectRun } from './research/inject.ts';
export { readLineage } from './research/lineage.ts';
export { overrideVerdict } from './research/override-verdict.ts';
export {
  findNotes,
  findResearch,
  findUnfinished,
  insertAlert,
  insertNote,
  recordPhase,
  takeCharge,
  updateResearch,
} from './research/research.ts';
export { findOpening, findRestarts, findUnderWay, forgetRestart, noteRestart, takeLeft } from './research/restart.ts';
