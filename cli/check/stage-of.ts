import type { Tx } from '../../db/connect.ts';
import { readQueue } from '../../db/reads/status/read-queue.ts';
import { readRunning } from '../../db/reads/status/read-running.ts';
import { readWait } from '../../db/reads/status/read-wait.ts';
import { readTrial } from '../../db/reads/read-trial.ts';
import { trialIdOf } from '../../domain/ids.ts';
import { describeTrialsWait } from '../../view/wait.ts';

/** How far a check's only trial is; `waits`: for what, of one that is queued. */
export async function stageOf(db: Tx, researchId: string): Promise<{ stage: string; waits: string | null }> {
  const [trial] = await readRunning(db, { researchId });
  if (trial) {
    const { wait } = await readWait(db, { researchId });
    if ((trial.stage === 'queued' || trial.stage === 'preparing') && wait)
      return { stage: `waits for ${wait.why}`, waits: null };
    const queue = trial.stage === 'queued' ? await readQueue(db, { researchId }) : null;
    return { stage: trial.stage, waits: queue && describeTrialsWait(queue) };
  }
  // Its outcome is there a moment before the research ends.
  const ended = await readTrial(db, { trialId: trialIdOf(researchId, 1) });
  return { stage: ended ? 'scoring' : 'starting', waits: null };
}
