import { ApplicationFailure } from '@temporalio/activity';
import type { Run } from '../../../db/run/run.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { Store } from '../../../db/store.ts';
import { auditProbability, isAudited } from '../../../domain/abort/audit/audit-plan.ts';
import { lastShare } from '../../../domain/abort/share-curve.ts';
import { isLookDue, nextLook } from '../../../domain/abort/looks.ts';
import { stopMessage, isStopped, type AbortRecord } from '../../../domain/abort/record.ts';
import type { AbortSettings } from '../../../domain/abort/settings.ts';
import { ruleText } from '../../../domain/abort/table.ts';
import type { AbortDecision, CurvePoint } from '../../../domain/abort/types.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { AbortLearner, AbortReading } from './abort-learner.ts';

/** Asks a rule of early abort about one run, once a cadence. */
export interface AbortWatch {
  /** The decision to stop the run, stored; null while it goes on. */
  look(points: readonly CurvePoint[]): Promise<Failure | null>;
  /**
   * After the run's end: writes down what was made of it, for the audit. A decision to stop it stands, one that is just
   * being stored, too; what has yet to be learned for a look is not waited for.
   */
  close(): Promise<Failure | null>;
  /** Nothing is decided any more: somebody else follows the run, or nobody. */
  leave(): void;
}

/** A run whose decision was stored before (by a monitor that died) is decided: it is stopped, or never asked about again. */
export function createAbortWatch(from: {
  store: Store;
  trial: Trial;
  run: Run;
  settings: AbortSettings;
  book: AbortLearner;
}): AbortWatch {
  const { store, trial, run, settings, book } = from;
  let stands = run.abort;
  let lived: AbortRecord | null = null;
  let judgedBy: number | null = null;
  let nextShare = settings.config.burnIn;
  // Where a monitor before this one looked last nobody knows: what it saw is all that there is now.
  let before = run.follower > 1 ? null : 0;
  let left = false;
  let saving: Promise<unknown> = Promise.resolve();

  const save = async (record: AbortRecord): Promise<void> => {
    const { trialId, placement, follower } = run;
    const saved = await store.run.saveAbort({ trialId, placement, follower, record });
    if (!saved) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
    stands = saved;
  };

  const recordOf = (decision: AbortDecision, reading: AbortReading & { strictness: number }): AbortRecord => {
    const probability = decision.abort ? auditProbability(reading.stopsWanted, settings.audit) : null;
    return {
      ...decision,
      rule: settings.rule,
      by: ruleText(settings.choice),
      incumbent: reading.incumbent,
      judgedBy,
      strictness: reading.strictness,
      // Not the last point's: it may have none.
      elapsed: (Date.now() - (run.launchedAt ?? new Date()).getTime()) / 1000,
      auditProbability: probability,
      audited: probability !== null && isAudited({ seed: trial.seed, trialId: trial.id }, probability),
    };
  };

  const decide = async (points: readonly CurvePoint[]): Promise<void> => {
    const reading = await book.refresh();
    // Learning may have taken its time, in which the run went on, or ended.
    if (left || !isLookDue(points, settings.budget, nextShare)) return;
    const { incumbent, strictness } = reading;
    // A rule that its errors have switched off lets nobody live either: what is left of the run says nothing of it.
    if (strictness === null) {
      nextShare = Infinity;
      lived = null;
      return;
    }
    judgedBy ??= incumbent;
    const { budget } = settings;
    const decision = book.decide({ points, budget, incumbent, run: trial.id, before: before ?? 0, strictness });
    before = decision.share ?? before;
    nextShare = nextLook(decision.share ?? 0, settings.config);
    lived = recordOf(decision, { ...reading, strictness });
    if (lived.abort) await (saving = save(lived));
  };

  const decided = (): Failure | null =>
    stands && isStopped(stands) ? { label: 'cannot-win', message: stopMessage(stands) } : null;

  return {
    look: async (points) => {
      before ??= lastShare(points, settings.budget) ?? 0;
      if (!stands?.abort && isLookDue(points, settings.budget, nextShare)) await decide(points);
      return decided();
    },
    close: async () => {
      left = true;
      await saving;
      if (!stands?.abort && lived) await save(lived);
      return decided();
    },
    leave: () => void (left = true),
  };
}
