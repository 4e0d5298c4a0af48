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

/** Applies a rule of early abort to one run, once each cadence. */
export interface AbortWatch {
  /** The decision to stop the run, stored; null while the run goes on. */
  look(points: readonly CurvePoint[]): Promise<Failure | null>;
  /**
   * Stores the rule's last record of an ended run, for the audit. A decision to stop stands, even one that is being
   * stored; a look that is still learning is not waited for.
   */
  close(): Promise<Failure | null>;
  /** Ends the looks: another attempt follows the run, or none does. */
  leave(): void;
}

/**
 * Creates the watch of a run. If a monitor that died stored a wish to stop the run, that is final: the run is stopped,
 * or it is audited and never looked at again.
 */
export function createAbortWatch(from: {
  store: Store;
  trial: Trial;
  run: Run;
  settings: AbortSettings;
  learner: AbortLearner;
}): AbortWatch {
  const { store, trial, run, settings, learner } = from;
  let stored = run.abort;
  /** Record of the last look; null before the first. */
  let latest: AbortRecord | null = null;
  let judgedBy: number | null = null;
  let nextShare = settings.config.burnIn;
  // Null: an earlier monitor's last look is unknown. The first look then takes the curve at hand as seen by that
  // monitor.
  let before = run.follower > 1 ? null : 0;
  let isClosed = false;
  let saving: Promise<unknown> = Promise.resolve();

  const save = async (record: AbortRecord): Promise<void> => {
    const { trialId, placement, follower } = run;
    const saved = await store.run.saveAbort({ trialId, placement, follower, record });
    if (!saved) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
    stored = saved;
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
      // Not the time of the last point, which may have none.
      elapsed: (Date.now() - (run.launchedAt ?? new Date()).getTime()) / 1000,
      auditProbability: probability,
      audited: probability !== null && isAudited({ seed: trial.seed, trialId: trial.id }, probability),
    };
  };

  const decide = async (points: readonly CurvePoint[]): Promise<void> => {
    const reading = await learner.refresh();
    // The run may have gone on, or ended, while the learner refreshed.
    if (isClosed || !isLookDue(points, settings.budget, nextShare)) return;
    const { incumbent, strictness } = reading;
    // A rule that the audit has switched off decides nothing, so the rest of the run is no evidence about the rule.
    if (strictness === null) {
      nextShare = Infinity;
      latest = null;
      return;
    }
    judgedBy ??= incumbent;
    const { budget } = settings;
    const decision = learner.decide({ points, budget, incumbent, run: trial.id, before: before ?? 0, strictness });
    before = decision.share ?? before;
    nextShare = nextLook(decision.share ?? 0, settings.config);
    latest = recordOf(decision, { ...reading, strictness });
    if (latest.abort) await (saving = save(latest));
  };

  const decided = (): Failure | null =>
    stored && isStopped(stored) ? { label: 'cannot-win', message: stopMessage(stored) } : null;

  return {
    look: async (points) => {
      before ??= lastShare(points, settings.budget) ?? 0;
      if (!stored?.abort && isLookDue(points, settings.budget, nextShare)) await decide(points);
      return decided();
    },
    close: async () => {
      isClosed = true;
      await saving;
      if (!stored?.abort && latest) await save(latest);
      return decided();
    },
    leave: () => void (isClosed = true),
  };
}
