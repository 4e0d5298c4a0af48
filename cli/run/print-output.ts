import { StringDecoder } from 'node:string_decoder';
import type { Db } from '../../db/connect.ts';
import { findJob, readOutput } from '../../db/job/job.ts';

export interface Printer {
  /** Writes what is stored by now and was not written before. */
  drain: (db: Db) => Promise<void>;
}

/** Writes what a job prints, in order and once; `onAgain`: its machine lost it, and it is begun once more. */
export function createPrinter(
  jobId: string,
  { write, onAgain }: { write: (text: string) => void; onAgain: () => void },
): Printer {
  let placement = 0;
  let from = 0;
  let decoder = new StringDecoder('utf8');
  return {
    drain: async (db) => {
      const found = await findJob(db, jobId);
      if (!found) return;
      if (found.placement !== placement) {
        if (from > 0) onAgain();
        [placement, from, decoder] = [found.placement, 0, new StringDecoder('utf8')];
      }
      for (const { offset, content } of await readOutput(db, { jobId, placement, from })) {
        from = offset + content.length;
        write(decoder.write(content));
      }
    },
  };
}
