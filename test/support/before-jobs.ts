import { readdir, readFile } from 'node:fs/promises';

/** SQL that brings a database back to where runs belonged to trials, as 0.1 left it. */
export const BEFORE_JOBS = `
  alter table runs drop constraint runs_trial_id_jobs_id_fk;
  drop table jobs cascade;
  alter table runs add constraint runs_trial_id_trials_id_fk foreign key (trial_id) references trials (id);`;

/** The migration that makes jobs of trials. */
export async function jobsMigration(): Promise<string> {
  const file = (await readdir('db/migrations')).find((name) => name.endsWith('_jobs.sql'));
  return readFile(`db/migrations/${file}`, 'utf8');
}
