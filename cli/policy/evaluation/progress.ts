import { readQueue } from '../../../db/reads/status/read-queue.ts';
import { readWait } from '../../../db/reads/status/read-wait.ts';
import { readEvaluation } from '../../../db/reads/policy/read-evaluation.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import type { Tx } from '../../../db/connect.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { plural } from '../../../domain/text/plural.ts';
import { describeQueue, describeWait } from '../../../view/wait.ts';
import { type Io, printNote } from '../../io.ts';

export interface Progress {
  /** Ended runs of the unmodified version. */
  baselineRuns: number;
  /** Ended samples. */
  samples: number;
  /** Reason why the evaluation waits, in words; null if nothing is known to wait. */
  waits: string | null;
}

/** Reads the progress of an evaluation. */
export async function readProgress(db: Tx, researchId: string): Promise<Progress> {
  const trials = await readEvaluation(db, { researchId });
  const ended = trials.filter(({ status }) => status !== null);
  const baselineRuns = ended.filter(({ kind }) => kind === 'baseline').length;
  return { baselineRuns, samples: ended.length - baselineRuns, waits: await readReason(db, researchId) };
}

async function readReason(db: Tx, researchId: string): Promise<string | null> {
  const research = await readResearch(db, { researchId });
  if (research?.phase === 'waiting' || research?.phase === 'paused') return research.reason ?? research.phase;
  const { wait } = await readWait(db, { researchId });
  if (wait !== null) return describeWait(wait);
  const queue = await readQueue(db, { researchId });
  return queue && describeQueue(queue);
}

/** Shortest time between two lines of progress, in seconds. */
const EVERY_SECONDS = 5;
/** Seconds without progress before the printer reports what the evaluation waits for, and between two such reports. */
const WAIT_SECONDS = { first: 5, again: 60 };

/** Prints the progress to stderr, so that stdout has the result alone. */
export function createEvaluationPrinter(
  io: Io,
  { samples, now = () => performance.now() / 1000 }: { samples: number; now?: () => number },
): (progress: Progress) => void {
  let last = '';
  let printedAt = -Infinity;
  let waitAt = Infinity;
  return (progress) => {
    const seconds = now();
    const runs = plural(progress.baselineRuns, 'baseline run');
    const text = `${runs}, ${progress.samples} of ${plural(samples, 'sample')}`;
    if (text !== last && seconds >= printedAt + EVERY_SECONDS) {
      printNote(io, text);
      last = text;
      printedAt = seconds;
      waitAt = seconds + WAIT_SECONDS.first;
    } else if (text === last && progress.waits !== null && seconds >= waitAt) {
      printNote(io, `${text}; ${oneLine(progress.waits)}`);
      waitAt = seconds + WAIT_SECONDS.again;
    }
  };
}
