/** Workflows that a worker bundles. */
export { installation } from './installation.ts';
export { job } from './job.ts';
export { research } from './research.ts';
export { trial } from './trial.ts';
export { update } from './update.ts';
