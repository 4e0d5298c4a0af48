// Statements about calls of a model, bound to a database by the store.

export { beginCall, findCall, readNothings, recordEndpoint } from '../call/call.ts';
export { saveAnswer, saveCallError, saveUnused } from '../call/call.ts';
