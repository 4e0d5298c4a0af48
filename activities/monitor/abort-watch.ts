import { ApplicationFailure } from '@temporalio/activity';
import type { Run } from '../../db/queries/run.ts';
import type { Trial } from '../../db/queries/proposal.ts';
import type { Store } from '../../db/store.ts';
import { auditProbability, isAudited } from '../../domain/abort/audit/lot.ts';
import { lastShare } from '../../domain/abort/curve.ts';
import { stopMessage, stops, type AbortRecord } from '../../domain/abort/record.ts';
import type { AbortSettings } from '../../domain/abort/settings.ts';
import type { AbortDecision, CurvePoint } from '../../domain/abort/types.ts';
import type { Failure } from '../../domain/trial.ts';
import type { AbortBook, AbortReading } from './abort-book.ts';

/** Asks a rule of early abort about one run, once a cadence. */
export interface AbortWatch {
  /** The decision to stop the run, stored; null while it goes on. */
  look(points: readonly CurvePoint[]): Promise<Failure | null>;
  /** After the run's end: writes down what was made of it, for the audit. A decision to stop it stands. */
  close(): Promise<Failure | null>;
}

/** A run whose decision was stored before (by a monitor that died) is decided: it is stopped, or never asked about again. */
export function createAbortWatch(from: {
  store: Store;
  trial: Trial;
  run: Run;
  settings: AbortSettings;
  book: AbortBook;
}): AbortWatch {
  const { store, trial, run, settings, book } = from;
  const { burnIn, cadence } = settings.config;
  let stands = run.abort;
  let lived: AbortRecord | null = null;
  let nextShare = burnIn;

  const save = async (record: AbortRecord): Promise<AbortRecord> => {
    const { trialId, placement, follower } = run;
    const saved = await store.saveAbort({ trialId, placement, follower, record });
    if (!saved) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
    return saved;
  };

  const recordOf = (decision: AbortDecision, reading: AbortReading, elapsed: number): AbortRecord => {
    const wanted = decision.abort && reading.strictness !== null;
    const probability = wanted ? auditProbability(reading.wishes, settings.audit) : null;
    return {
      ...decision,
      abort: wanted,
      rule: settings.rule,
      incumbent: reading.incumbent,
      strictness: reading.strictness ?? 1,
      elapsed,
      auditProbability: probability,
      audited: probability !== null && isAudited({ seed: trial.seed, trialId: trial.id }, probability),
    };
  };

  const decide = async (points: readonly CurvePoint[]): Promise<void> => {
    const reading = await book.read();
    const { incumbent, strictness } = reading;
    const { budget } = settings;
    const decision = book.decide({ points, budget, incumbent, strictness: strictness ?? 1 });
    lived = recordOf(decision, reading, points.at(-1)?.elapsed ?? 0);
    if (lived.abort) stands = await save(lived);
  };

  const decided = (): Failure | null =>
    stands && stops(stands) ? { label: 'cannot-win', message: stopMessage(stands) } : null;

  return {
    look: async (points) => {
      if (!stands?.abort) {
        const share = lastShare(points, settings.budget);
        if (share === null || share < nextShare || share >= 1) return null;
        nextShare = share + cadence;
        await decide(points);
      }
      return decided();
    },
    close: async () => {
      if (!stands?.abort && lived) stands = await save(lived);
      return decided();
    },
  };
}
