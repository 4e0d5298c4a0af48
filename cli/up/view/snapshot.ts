import type { Db } from '../../../db/connect.ts';
import type { AbortTallyReader } from '../../../db/reads/status/abort-tally-reader.ts';
import { readClaims, type Claim } from '../../../db/reads/status/read-claims.ts';
import { readLearned } from '../../../db/reads/policy/read-learned.ts';
import { readLearningRows } from '../../../db/reads/policy/read-update-rows.ts';
import { readRecent, type LogLine } from '../../../db/reads/read-log.ts';
import { readRulings, type Ruled } from '../../../db/reads/read-rulings.ts';
import { readResearch, type ResearchView } from '../../../db/reads/read-research.ts';
import { readRunning, type OpenTrial } from '../../../db/reads/status/read-running.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import type { Learned } from '../../../view/policy/learned.ts';
import type { LearningRow } from '../../../view/policy/learning.ts';
import type { StatusView } from '../../../view/status.ts';
import { hasSettled } from './has-settled.ts';

/** Data for the lines of a research, at one moment. */
export interface Snapshot {
  research: ResearchView;
  status: StatusView;
  running: OpenTrial[];
  /** Ended trials, the newest first. */
  ended: LogLine[];
  /** Proposals with a ruling or a failure, the newest ruling first. */
  rulings: Ruled[];
  claims: Claim[];
  /** Updates of a policy that have ended, the oldest first. */
  learning: LearningRow[];
  /** Effect of the learning; null before the research has settled, or if no update has a reward. */
  learned: Learned | null;
}

/** Reads a snapshot in one transaction, for consistent numbers; undefined if the research does not exist. */
export async function takeSnapshot(
  db: Db,
  input: { researchId: string; last: number; readTally: AbortTallyReader },
): Promise<Snapshot | undefined> {
  const { researchId, readTally } = input;
  return db.transaction(
    async (tx) => {
      const research = await readResearch(tx, { researchId });
      if (!research) return undefined;
      const status = await readStatus(tx, { research, readTally });
      const learning = await readLearningRows(tx, { researchId });
      return {
        research,
        status,
        running: await readRunning(tx, { researchId }),
        ended: await readRecent(tx, { researchId, limit: input.last }),
        rulings: await readRulings(tx, { researchId, limit: input.last }),
        claims: await readClaims(tx, { researchId }),
        learning,
        learned: hasSettled(status) ? await readLearned(tx, { research, rows: learning }) : null,
      };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
