import type { Db, Tx } from '../../db/connect.ts';
import { readResearch } from '../../db/reads/read-research.ts';
import { readTrial, type TrialRow } from '../../db/reads/read-trial.ts';
import { readRunning, type OpenTrial } from '../../db/reads/status/read-running.ts';
import { findInjectedByKey } from '../../db/research/injected.ts';
import { finiteOrNull } from '../../domain/json/number.ts';
import type { Followed } from '../../domain/mcp/followed.ts';
import { trialIdOf } from '../../domain/trial/ids.ts';
import { refused } from '../errors.ts';

/** The trial that is followed: by the key of its idea, or by its number. */
export type Subject = { key: string } | { n: number };

interface Input {
  researchId: string;
  subject: Subject;
}

/**
 * Reads where a trial stands, in one snapshot: the gate's state and the trial's verdict change together. An idea whose
 * run a machine lost is followed to its next trial.
 */
export const readFollowed = (db: Db, input: Input): Promise<Followed> =>
  db.transaction((tx) => read(tx, input), { isolationLevel: 'repeatable read', accessMode: 'read only' });

async function read(db: Tx, { researchId, subject }: Input): Promise<Followed> {
  const research = await readResearch(db, { researchId });
  if (!research) throw refused(`Expected a research ${researchId}; it was deleted meanwhile.`);
  const key = 'key' in subject ? subject.key : null;
  const n = 'key' in subject ? await numberOf(db, { researchId, key: subject.key }) : subject.n;
  const { phase, reason } = research;
  const about = { key, research: { id: researchId, phase, reason } };
  if (n === null) return { ...about, trial: null };
  const found = await readTrial(db, { trialId: trialIdOf(researchId, n) });
  if (!found) throw refused(`Expected a trial of ${researchId} from 1 to ${research.lastN}, got ${n}.`);
  const running = found.trial.status === null ? await readRunning(db, { researchId }) : [];
  const held = research.gate.held.some((waiting) => waiting.n === n);
  return { ...about, trial: trialOf(found.trial, { running, held }) };
}

async function numberOf(db: Tx, { researchId, key }: { researchId: string; key: string }): Promise<number | null> {
  const found = await findInjectedByKey(db, { researchId, key });
  if (found === null)
    throw refused(
      `Expected the key of an idea that was proposed to ${researchId}, got ${JSON.stringify(key)}. ` +
        'A change of the task may have withdrawn the idea: the alerts in status say so. Then propose it again.',
    );
  return found.n;
}

function trialOf(
  trial: TrialRow,
  { running, held }: { running: readonly OpenTrial[]; held: boolean },
): Followed['trial'] {
  const { n, kind, status, verdict, trusted, failure, reason, failureMessage } = trial;
  const open = running.find((one) => one.n === n);
  return {
    n,
    kind,
    status,
    verdict,
    value: finiteOrNull(trial.value),
    trusted,
    failure,
    reason: reason ?? failureMessage,
    now: open === undefined ? null : nowOf(open),
    held,
  };
}

const nowOf = ({ stage, slot, step }: OpenTrial): string =>
  [slot === null ? stage : `${stage} on ${slot}`, ...(step === null ? [] : [`step ${step}`])].join(', ');
