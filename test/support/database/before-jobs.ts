import { readdir, readFile } from 'node:fs/promises';

/** SQL that undoes the migration to jobs: runs belong to trials, as in 0.1. */
export const BEFORE_JOBS = `
  alter table runs drop constraint runs_trial_id_jobs_id_fk;
  drop table jobs cascade;
  alter table runs add constraint runs_trial_id_trials_id_fk foreign key (trial_id) references trials (id);`;

/** The migration that makes jobs of trials, with the columns that later ones add to that table. */
export async function jobsMigration(): Promise<string> {
  const files = (await readdir('db/migrations')).filter((name) => name.endsWith('.sql')).sort();
  const [first = '', ...later] = await Promise.all(
    files
      .slice(files.findIndex((name) => name.endsWith('_jobs.sql')))
      .map((name) => readFile(`db/migrations/${name}`, 'utf8')),
  );
  const added = later
    .flatMap((text) => text.split('--> statement-breakpoint'))
    .filter((one) => /ALTER TABLE "jobs" ADD COLUMN/.test(one));
  return [first, ...added].join(';\n');
}
