// Statements about the tree of a research, bound to a database by the store.

export { findStoredKnobs, readTreeTrials, storeTree } from '../tree/fill-tree.ts';
export { countInFlight, findNode, insertNode, leaveNode, moveNode, visitNode } from '../tree/keep-tree.ts';
export { chooseNiche, placeNode } from '../tree/niches.ts';
export { readTree } from '../tree/read-tree.ts';
