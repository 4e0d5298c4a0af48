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

/** Applies a rule of early abort to one run, each time another `cadence` (share of the budget) is used. */
export interface AbortWatch {
  /** The decision to stop the run, stored; null while the run goes on. */
  look(points: readonly CurvePoint[]): Promise<Failure | null>;
  /**
   * Stores the rule's last record of an ended run, for the audit. Waits for a stop that is being stored, not for a look
   * whose learner still refreshes.
   */
  close(): Promise<Failure | null>;
  /** Makes no more looks and stores nothing more: this monitor gives up the run. */
  abandon(): void;
}

/**
 * Creates the watch of a run. If an earlier monitor stored a stop, it holds: the run is stopped, or, chosen for the
 * audit, runs to its end without looks.
 */
export function createAbortWatch(options: {
  store: Store;
  trial: Trial;
  run: Run;
  settings: AbortSettings;
  learner: AbortLearner;
}): AbortWatch {
  const { store, trial, run, settings, learner } = options;
  let stored = run.abort;
  /** Record of the last look; null before the first. */
  let latest: AbortRecord | null = null;
  /** Value to beat at the first look that had one. */
  let firstIncumbent: number | null = null;
  let nextShare = settings.config.burnIn;
  // Null after a takeover: unknown. The first look assumes that the last monitor saw all points so far.
  let lastLookShare = run.follower > 1 ? null : 0;
  let isClosed = false;
  let saving: Promise<unknown> = Promise.resolve();

  const save = async (record: AbortRecord): Promise<void> => {
    const { jobId, placement, follower } = run;
    const saved = await store.run.saveAbort({ jobId, placement, follower, record });
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
      judgedBy: firstIncumbent,
      strictness: reading.strictness,
      // By the clock, since the last point may have no time.
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
    // Null: the audit has switched the rule off. Keep no record, so that this run does not count as evidence.
    if (strictness === null) {
      nextShare = Infinity;
      latest = null;
      return;
    }
    firstIncumbent ??= incumbent;
    const { budget } = settings;
    const decision = learner.decide({
      points,
      budget,
      incumbent,
      run: trial.id,
      lastLookShare: lastLookShare ?? 0,
      strictness,
    });
    lastLookShare = decision.share ?? lastLookShare;
    nextShare = nextLook(decision.share ?? 0, settings.config);
    latest = recordOf(decision, { ...reading, strictness });
    if (latest.abort) await (saving = save(latest));
  };

  const decided = (): Failure | null =>
    stored && isStopped(stored) ? { label: 'cannot-win', message: stopMessage(stored) } : null;

  return {
    look: async (points) => {
      lastLookShare ??= lastShare(points, settings.budget) ?? 0;
      if (!stored?.abort && isLookDue(points, settings.budget, nextShare)) await decide(points);
      return decided();
    },
    close: async () => {
      isClosed = true;
      await saving;
      if (!stored?.abort && latest) await save(latest);
      return decided();
    },
    abandon: () => void (isClosed = true),
  };
}
