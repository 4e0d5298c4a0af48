// Statements about trials and their candidates, bound to a database by the store.

export { loadCandidateFiles } from './trial/candidate.ts';
export { findHistory, findTrialOf } from './trial/history.ts';
export { isWrittenCode } from './trial/lineage.ts';
export { beginProposal, findKnown, findTwin, loadTrial, loadTrialAndResearch, saveProposal } from './trial/proposal.ts';
export { findEnded, settle } from './trial/settle.ts';
