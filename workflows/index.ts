/** What a worker bundles. */
export { research } from './research.ts';
export { trial } from './trial.ts';
