// Statements about jobs that are no trials, bound to a database by the store.

export { closeJob, findJob, findOpenJobs, loadJob, openJob, reopenJob, replaceJob } from '../job/job.ts';
export { findLastRun } from '../job/job.ts';
