import type { Db } from './connect.ts';
import { countWishes, findEndedCurves, loadCurve, loadCurves, saveAbort } from './queries/abort.ts';
import { admit } from './queries/admit.ts';
import { beginCall, findCall, recordEndpoint, saveAnswer, saveCallError } from './queries/call.ts';
import { loadCandidateFiles } from './queries/candidate.ts';
import { changeBudget } from './queries/change-budget.ts';
import { changeTask } from './queries/change-task.ts';
import { createResearch } from './queries/create-research.ts';
import { findForsakenLeases } from './queries/forsaken.ts';
import { findHistory, findTrialOf } from './queries/history.ts';
import { injectRun } from './queries/inject.ts';
import { overrideVerdict } from './queries/override-verdict.ts';
import {
  beginProposal,
  findKnown,
  findTwin,
  loadTrial,
  loadTrialAndResearch,
  saveProposal,
} from './queries/proposal.ts';
import {
  findNotes,
  findResearch,
  findUnfinished,
  insertAlert,
  insertNote,
  recordPhase,
  takeCharge,
  updateResearch,
} from './queries/research.ts';
import {
  beginRun,
  closeRun,
  findRun,
  findStaleLeases,
  freeSlotOf,
  loadArtefacts,
  markLaunched,
  saveProgress,
  saveRunEnd,
  saveStop,
  takeOver,
} from './queries/run.ts';
import { findEnded, settle } from './queries/settle.ts';
import {
  findLease,
  findOfferHolders,
  freeSlot,
  leaseSlot,
  offerSlot,
  renewOffers,
  returnOffer,
  withdrawOffers,
} from './queries/slots.ts';
import { loadTaskFiles, loadTaskVersion, saveTaskVersion } from './queries/task-version.ts';

const queries = {
  countWishes,
  findEndedCurves,
  loadCurve,
  loadCurves,
  saveAbort,
  admit,
  beginCall,
  findCall,
  recordEndpoint,
  saveAnswer,
  saveCallError,
  loadCandidateFiles,
  changeBudget,
  changeTask,
  findForsakenLeases,
  findHistory,
  findTrialOf,
  injectRun,
  overrideVerdict,
  beginProposal,
  findKnown,
  findTwin,
  loadTrial,
  loadTrialAndResearch,
  saveProposal,
  findNotes,
  findResearch,
  findUnfinished,
  insertAlert,
  insertNote,
  createResearch,
  recordPhase,
  takeCharge,
  updateResearch,
  beginRun,
  closeRun,
  findRun,
  findStaleLeases,
  freeSlotOf,
  loadArtefacts,
  markLaunched,
  saveProgress,
  saveRunEnd,
  saveStop,
  takeOver,
  findEnded,
  settle,
  findLease,
  freeSlot,
  leaseSlot,
  offerSlot,
  renewOffers,
  returnOffer,
  findOfferHolders,
  withdrawOffers,
  loadTaskFiles,
  loadTaskVersion,
  saveTaskVersion,
};

type Bound<F> = F extends (db: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Every query, bound to a database. */
export type Store = { [Name in keyof typeof queries]: Bound<(typeof queries)[Name]> };

/** Binds the queries to a database. */
export function createStore(db: Db): Store {
  const bound = Object.entries(queries).map(([name, query]) => [
    name,
    (...rest: unknown[]) => (query as (db: Db, ...rest: unknown[]) => unknown)(db, ...rest),
  ]);
  return Object.fromEntries(bound) as Store;
}
