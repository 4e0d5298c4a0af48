// Statements about calls of a model, bound to a database by the store.

export { dropBodies } from '../call/drop-bodies.ts';
export { beginCall, findCall, readNothings, recordEndpoint } from '../call/call.ts';
export { saveAnswer, saveCallError, saveUnused } from '../call/call.ts';
export { beginGatewayCall } from '../call/gateway/begin-gateway-call.ts';
export { endGatewayCall, failGatewayCall } from '../call/gateway/end-gateway-call.ts';
export { hasServedOthers } from '../call/gateway/served.ts';
export { countServedRuns, findLastCall, readAnswered } from '../call/agent-calls.ts';
