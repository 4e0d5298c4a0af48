/** The schema of what happened. Times are timestamptz, ids are text, durations are seconds, sizes are bytes. */
export type { Phase } from '../domain/research/phase.ts';
export * from './schema/search/arm.ts';
export * from './schema/call.ts';
export * from './schema/carried-curves.ts';
export * from './schema/event.ts';
export * from './schema/files.ts';
export * from './schema/fleet.ts';
export * from './schema/job.ts';
export * from './schema/learning.ts';
export * from './schema/search/node.ts';
export * from './schema/notify.ts';
export * from './schema/search/observation.ts';
export * from './schema/research.ts';
export * from './schema/restart.ts';
export * from './schema/run.ts';
export * from './schema/task.ts';
export * from './schema/trial.ts';
export * from './schema/worker-beat.ts';
