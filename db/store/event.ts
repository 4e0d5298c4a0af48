// Statements about events, bound to a database by the store.

export { insertEvents } from '../event/insert-events.ts';
export { recordAttention } from '../attention/record-attention.ts';
