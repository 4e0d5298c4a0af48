import { StringDecoder } from 'node:string_decoder';
import type { Db } from '../../db/connect.ts';
import { readOutput } from '../../db/job/job.ts';
import { readRuns, type RunOfJob } from '../../db/job/read-runs.ts';
import type { JobListener } from './job-listeners.ts';

export interface JobPrinter {
  /** Tells what is stored by now and was not told before. */
  drain: (db: Db) => Promise<void>;
}

/** Tells what a job prints and what becomes of it, in order and once, from its last run on. */
export function createJobPrinter(jobId: string, telling: JobListener): JobPrinter {
  let placement: number | null = null;
  let from = 0;
  let decoder = new StringDecoder('utf8');
  let told = { ready: false, over: false };
  const begin = (run: RunOfJob): void => {
    if (placement !== null) telling.onRestart(run, { hasSaid: from > 0 });
    [placement, from, decoder] = [run.placement, 0, new StringDecoder('utf8')];
    told = { ready: false, over: false };
  };
  return {
    drain: async (db) => {
      for (const run of await readRuns(db, { jobId, from: placement })) {
        if (run.placement !== placement) begin(run);
        for (const { offset, content } of await readOutput(db, { jobId, placement: run.placement, from })) {
          from = offset + content.length;
          telling.write(decoder.write(content));
        }
        if (run.readyAt !== null && !told.ready) telling.onReady(run);
        if (run.isOver && !told.over) telling.onRunEnded(run);
        told = { ready: run.readyAt !== null, over: run.isOver };
      }
    },
  };
}
