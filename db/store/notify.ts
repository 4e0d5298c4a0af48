// Statements about messages and their sinks, bound to a database by the store.

export { insertDigest, markDelivered, markFailed, nextDelivery, planSink, readClock } from '../notify/deliveries.ts';
export { readClaimText } from '../notify/read-claim-text.ts';
export { recordNeeds } from '../notify/record-needs.ts';
export { readDigest } from '../notify/read-digest.ts';
export { readSinks } from '../notify/read-sinks.ts';
