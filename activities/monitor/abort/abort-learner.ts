import { beats } from '../../../domain/abort/audit/beats.ts';
import {
  updateCalibration,
  NOT_AUDITED,
  decideStrictness,
  type Calibration,
} from '../../../domain/abort/audit/calibration.ts';
import { ANTI_CORRELATED_REASON } from '../../../domain/abort/rules/matched-time.ts';
import { learnCarried, openRule, type RunningRule } from '../../../domain/abort/rules.ts';
import type { AbortSettings } from '../../../domain/abort/settings.ts';
import { ruleText } from '../../../domain/abort/table.ts';
import type { AbortDecision, AbortInput, CurvePoint, FinishedCurve } from '../../../domain/abort/types.ts';
import type { EndedCurve } from '../../../db/run/abort.ts';
import { lead } from '../../../domain/gate/gate.ts';
import type { Store } from '../../../db/store.ts';
import { readCarriedCurves } from './read-carried-curves.ts';

/** Shortest time between two refreshes. Ends of other runs matter within seconds, not milliseconds. */
const FRESH_MS = 1000;
/** Newest curves that a learner starts with, so that a start costs the same after a hundred thousand runs. */
const CURVES = 1000;
/** Curves that are loaded at once. */
const PAGE = 25;
/** Points of a finished curve that are learned; the rules evaluate a curve at some forty shares. */
const CURVE_POINTS = 2000;

/** A rule of early abort with its state, learned from finished runs of a task version. */
export interface AbortLearner {
  /** Learns the runs that have ended since the last call. */
  refresh(): Promise<AbortReading>;
  /** The rule's decision on a run, by the runs learned so far. */
  decide(input: AbortInput): AbortDecision;
}

export interface AbortReading {
  /** The value that a run has to beat; null while there is none, and if it is of another metric than the run's. */
  incumbent: number | null;
  /** Factor on the evidence that the rule requires; null if the audit has switched the rule off. */
  strictness: number | null;
  /** Runs that the rule wanted to stop so far; counted up to the number of first audits. */
  stopsWanted: number;
}

interface Learned {
  rule: RunningRule;
  curves: number;
  /** Evidence of the audit, from all runs, however old. */
  calibration: Calibration;
  /** The run that was learned last. */
  after: EndedCurve | null;
}

/**
 * Creates a learner that learns each finished run once, in the order of the ends. It starts with the newest curves in
 * the database. Once it has learned twice that many, it starts again in the same way, so that old runs are forgotten.
 */
export function createAbortLearner(options: {
  store: Store;
  researchId: string;
  taskHash: string;
  settings: AbortSettings;
  /** Newest curves to start with; default: 1000. */
  curves?: number;
}): AbortLearner {
  const { store, researchId, taskHash, settings, curves: most = CURVES } = options;
  const rule = ruleText(settings.choice);
  let learned = nothingLearned(settings, []);
  /** Curves of earlier researches; null until they are tested. */
  let carried: readonly FinishedCurve[] | null = null;
  let stopsWanted = 0;
  /** True once a decision found that curves are anti-correlated with the metric. */
  let isMisled = false;
  let isAlertStored = false;

  const learn = async (
    target: Learned,
    ended: readonly EndedCurve[],
    curves: readonly CurvePoint[][],
  ): Promise<void> => {
    const { calibration, notes } = audit(target.calibration, ended, settings);
    for (const message of notes) await store.research.insertAlert({ researchId, message, once: true });
    // No await from here on: the page is learned as a whole, or not at all.
    target.calibration = calibration;
    target.after = ended.at(-1) ?? target.after;
    ended.forEach(({ jobId, value, failed, wanted, auditProbability }, i) => {
      const points = curves[i] ?? [];
      if (points.length === 0 || failed) return;
      const weight = 1 / (auditProbability ?? 1);
      target.rule = target.rule.learn({ points, budget: settings.budget, final: value, run: jobId, wanted, weight });
      target.curves += 1;
    });
  };

  const catchUp = async (target: Learned): Promise<void> => {
    const ended = await store.run.findEndedCurves({ researchId, taskHash, rule, after: target.after });
    const old = Math.max(0, ended.length - most);
    if (old > 0) await learn(target, ended.slice(0, old), []);
    for (let i = old; i < ended.length; i += PAGE) {
      const page = ended.slice(i, i + PAGE);
      await learn(target, page, await store.run.loadCurves({ runs: page, most: CURVE_POINTS }));
    }
  };

  /** Reads the value to beat. After a change of task, the gate may have another metric than runs of the old version. */
  const readIncumbent = async (): Promise<number | null> => {
    const research = await store.research.findResearch(researchId);
    if (!research || !(await hasMetricOf(research.taskHash))) return null;
    // Not the mean: for a lead with a single run, the mean is the lucky run for which it was picked.
    return lead(research.gate).estimate;
  };

  const hasMetricOf = async (currentHash: string): Promise<boolean> => {
    if (currentHash === taskHash) return true;
    const [version, current] = await Promise.all([
      store.task.loadTaskVersion(taskHash),
      store.task.loadTaskVersion(currentHash),
    ]);
    return version.metricKey === current.metricKey;
  };

  const storeAlert = async (): Promise<void> => {
    if (!isMisled || isAlertStored) return;
    await store.research.insertAlert({
      researchId,
      message: `early abort stops nothing for now: ${ANTI_CORRELATED_REASON}`,
      once: true,
    });
    isAlertStored = true;
  };

  /** Loads curves of earlier researches, once they are tested. True if any were loaded now. */
  const loadCarried = async (): Promise<boolean> => {
    if (carried !== null) return false;
    carried = await readCarriedCurves({ store, researchId, taskHash, settings });
    return carried !== null && carried.length > 0;
  };

  const read = async (): Promise<AbortReading> => {
    await catchUp(learned);
    await storeAlert();
    if ((await loadCarried()) || learned.curves >= 2 * most) {
      // The new state is built beside the old one, which decides meanwhile.
      const restarted = nothingLearned(settings, carried ?? []);
      await catchUp(restarted);
      learned = restarted;
    }
    const { first } = settings.audit;
    // The audit needs no count beyond `first`. The count hardly ever falls: only when a run is placed again.
    if (stopsWanted < first)
      stopsWanted = await store.run.countAbortDecisions({ researchId, taskHash, rule, most: first });
    return {
      incumbent: await readIncumbent(),
      strictness: decideStrictness(learned.calibration, settings.choice).strictness,
      stopsWanted,
    };
  };

  return {
    refresh: reuseWhileFresh(read, FRESH_MS),
    decide: (input) => {
      const result = learned.rule.decide(input);
      learned.rule = result.rule;
      isMisled ||= result.decision.reason === ANTI_CORRELATED_REASON;
      return result.decision;
    },
  };
}

/**
 * Runs calls of `work` one after the other. A caller gets the last result while that is at most `freshMs` old, or the
 * result of the call that waits for its turn. A failure is not reused.
 */
export function reuseWhileFresh<T>(work: () => Promise<T>, freshMs: number): () => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  let last: { begun: number; result: Promise<T> } | undefined;
  return () => {
    if (last && Date.now() - last.begun < freshMs) return last.result;
    const result = turn.then(() => {
      call.begun = Date.now();
      return work();
    });
    const call = { begun: Infinity, result };
    turn = result.catch(() => {
      if (last === call) last = undefined;
    });
    last = call;
    return result;
  };
}

/** The state of a new learner: it knows curves of earlier researches, whose audits do not count. */
const nothingLearned = ({ choice, config }: AbortSettings, carried: readonly FinishedCurve[]): Learned => ({
  rule: learnCarried(openRule(choice, config), carried),
  curves: 0,
  calibration: NOT_AUDITED,
  after: null,
});

/** The evidence after these runs, and notes for people where it changes the strictness. */
function audit(initial: Calibration, ended: readonly EndedCurve[], settings: AbortSettings) {
  const notes: string[] = [];
  const calibration = ended.reduce((previous, run) => {
    const next = afterEnd(previous, run, settings);
    const { note, strictness } = decideStrictness(next, settings.choice);
    if (note !== null && strictness !== decideStrictness(previous, settings.choice).strictness) notes.push(note);
    return next;
  }, initial);
  return { calibration, notes };
}

/** The evidence after one run. A run that went to its end shows if the rule erred; a stopped run is only counted. */
function afterEnd(previous: Calibration, ended: EndedCurve, { config }: AbortSettings) {
  const { incumbent, auditProbability, value, failed, audited } = ended;
  if (incumbent === null) return previous;
  const goodWithoutValue = failed && audited ? false : null;
  const good = value === null ? goodWithoutValue : beats(value - incumbent, config.direction);
  return updateCalibration(previous, { good, auditProbability, target: config.errorTarget });
}
