import { StringDecoder } from 'node:string_decoder';
import type { Db } from '../../db/connect.ts';
import { readOutput } from '../../db/job/job.ts';
import { readRuns, type RunOfJob } from '../../db/job/read-runs.ts';
import type { JobListener } from './job-listeners.ts';

export interface JobPrinter {
  /** Passes the output and the events that were stored since the last call to the listener. */
  drain: (db: Db) => Promise<void>;
}

/** Makes a printer of a job's output and events: in order, each once, from the job's last run on. */
export function createJobPrinter(jobId: string, listener: JobListener): JobPrinter {
  let placement: number | null = null;
  let from = 0;
  let decoder = new StringDecoder('utf8');
  let reported = { ready: false, over: false };
  const begin = (run: RunOfJob): void => {
    if (placement !== null) listener.onRestart(run, { hasSaid: from > 0 });
    [placement, from, decoder] = [run.placement, 0, new StringDecoder('utf8')];
    reported = { ready: false, over: false };
  };
  return {
    drain: async (db) => {
      for (const run of await readRuns(db, { jobId, from: placement })) {
        if (run.placement !== placement) begin(run);
        for (const { offset, content } of await readOutput(db, { jobId, placement: run.placement, from })) {
          from = offset + content.length;
          listener.write(decoder.write(content));
        }
        if (run.readyAt !== null && !reported.ready) listener.onReady(run);
        if (run.isOver && !reported.over) listener.onRunEnded(run);
        reported = { ready: run.readyAt !== null, over: run.isOver };
      }
    },
  };
}
