// Statements about worker processes, bound to a database by the store.

export { recordBeat } from '../worker/beats.ts';
