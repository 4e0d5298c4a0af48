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

/** A book is read anew at most this often: ends of other runs matter within seconds, not milliseconds. */
const FRESH_MS = 1000;
/** Curves that a book begins with, the last ones; a start costs the same after a hundred thousand runs. */
const CURVES = 1000;
/** Curves that are loaded at once. */
const PAGE = 25;
/** Points of a finished curve that are learned; the rules look at some forty places. */
const CURVE_POINTS = 2000;

/** What finished runs of a task version have taught a rule. */
export interface AbortLearner {
  /** Learns what has ended meanwhile. */
  refresh(): Promise<AbortReading>;
  /** What the rule says of a run, by all that it has learned so far. */
  decide(input: AbortInput): AbortDecision;
}

export interface AbortReading {
  /** The value that a run has to beat; null while there is none, and where it is of another metric than the run. */
  incumbent: number | null;
  /** How much evidence the rule is to ask for, in multiples; null where its errors have switched it off. */
  strictness: number | null;
  /** Runs that it wanted to stop so far, counted as far as the audit asks. */
  stopsWanted: number;
}

interface Learned {
  rule: RunningRule;
  curves: number;
  /** The audit's evidence: of all runs, however old. */
  calibration: Calibration;
  /** The run that was learned last. */
  after: EndedCurve | null;
}

/**
 * Learns each finished run once, in the order of their ends. After a restart it begins with the last curves in the
 * database; one that has grown to twice as many begins anew in the same way, so old runs are forgotten.
 */
export function createAbortLearner(from: {
  store: Store;
  researchId: string;
  taskHash: string;
  settings: AbortSettings;
  /** Curves to begin with. */
  curves?: number;
}): AbortLearner {
  const { store, researchId, taskHash, settings, curves: most = CURVES } = from;
  const by = ruleText(settings.choice);
  let learned = nothingLearned(settings, []);
  /** Curves of earlier researches; null while they are not tested. */
  let carried: readonly FinishedCurve[] | null = null;
  let wishes = 0;
  /** A decision found that curves mislead; people were told of it. */
  let [misled, told] = [false, false];

  const learn = async (into: Learned, ended: readonly EndedCurve[], curves: readonly CurvePoint[][]): Promise<void> => {
    const { calibration, notes } = audit(into.calibration, ended, settings);
    for (const message of notes) await store.research.insertAlert({ researchId, message, once: true });
    // From here on nothing waits: learned once, or not at all.
    into.calibration = calibration;
    into.after = ended.at(-1) ?? into.after;
    ended.forEach(({ trialId, value, failed, wanted, auditProbability }, i) => {
      const points = curves[i] ?? [];
      if (points.length === 0 || failed) return;
      const weight = 1 / (auditProbability ?? 1);
      into.rule = into.rule.learn({ points, budget: settings.budget, final: value, run: trialId, wanted, weight });
      into.curves += 1;
    });
  };

  const catchUp = async (into: Learned): Promise<void> => {
    const ended = await store.run.findEndedCurves({ researchId, taskHash, by, after: into.after });
    const old = Math.max(0, ended.length - most);
    if (old > 0) await learn(into, ended.slice(0, old), []);
    for (let i = old; i < ended.length; i += PAGE) {
      const page = ended.slice(i, i + PAGE);
      await learn(into, page, await store.run.loadCurves({ runs: page, most: CURVE_POINTS }));
    }
  };

  /** The gate is of the metric that the research has now; a run that a changed task left behind may have another. */
  const toBeat = async (): Promise<number | null> => {
    const research = await store.research.findResearch(researchId);
    if (!research || !(await hasMetricOf(research.taskHash))) return null;
    // Not the mean: of a lead that was followed after one run that is the very run it was picked for.
    return lead(research.gate).estimate;
  };

  const hasMetricOf = async (current: string): Promise<boolean> => {
    if (current === taskHash) return true;
    const [own, now] = await Promise.all([store.task.loadTaskVersion(taskHash), store.task.loadTaskVersion(current)]);
    return own.metricKey === now.metricKey;
  };

  const tell = async (): Promise<void> => {
    if (!misled || told) return;
    await store.research.insertAlert({
      researchId,
      message: `early abort stops nothing for now: ${ANTI_CORRELATED_REASON}`,
      once: true,
    });
    told = true;
  };

  /** Whether curves of earlier researches have come to be compared with since the last look. */
  const hasMore = async (): Promise<boolean> => {
    if (carried !== null) return false;
    carried = await readCarriedCurves({ store, researchId, taskHash, settings });
    return carried !== null && carried.length > 0;
  };

  const read = async (): Promise<AbortReading> => {
    await catchUp(learned);
    await tell();
    if ((await hasMore()) || learned.curves >= 2 * most) {
      // Beside the old one, which decides meanwhile.
      const anew = nothingLearned(settings, carried ?? []);
      await catchUp(anew);
      learned = anew;
    }
    const { first } = settings.audit;
    // Hardly ever they become fewer (a run that is placed again), and beyond these nobody asks how many there are.
    if (wishes < first) wishes = await store.run.countAbortDecisions({ researchId, taskHash, by, most: first });
    return {
      incumbent: await toBeat(),
      strictness: decideStrictness(learned.calibration, settings.choice).strictness,
      stopsWanted: wishes,
    };
  };

  return {
    refresh: reuseWhileFresh(read, FRESH_MS),
    decide: (input) => {
      const asked = learned.rule.decide(input);
      learned.rule = asked.rule;
      misled ||= asked.decision.reason === ANTI_CORRELATED_REASON;
      return asked.decision;
    },
  };
}

/**
 * One piece of work after the other. Whoever asks gets what the last one gave while that is at most `freshMs` old, or what
 * the one will give that waits for its turn. What failed is kept for nobody.
 */
export function reuseWhileFresh<T>(work: () => Promise<T>, freshMs: number): () => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  let last: { begun: number; result: Promise<T> } | undefined;
  return () => {
    if (last && Date.now() - last.begun < freshMs) return last.result;
    const result = turn.then(() => {
      asked.begun = Date.now();
      return work();
    });
    const asked = { begun: Infinity, result };
    turn = result.catch(() => {
      if (last === asked) last = undefined;
    });
    last = asked;
    return result;
  };
}

/** A book at its beginning: it knows curves of earlier researches, none of whose audits counts. */
const nothingLearned = ({ choice, config }: AbortSettings, carried: readonly FinishedCurve[]): Learned => ({
  rule: learnCarried(openRule(choice, config), carried),
  curves: 0,
  calibration: NOT_AUDITED,
  after: null,
});

/** The evidence after these runs, and what people are to be told of it. */
function audit(before: Calibration, ended: readonly EndedCurve[], settings: AbortSettings) {
  const notes: string[] = [];
  const calibration = ended.reduce((was, run) => {
    const now = afterEnd(was, run, settings);
    const { note, strictness } = decideStrictness(now, settings.choice);
    if (note !== null && strictness !== decideStrictness(was, settings.choice).strictness) notes.push(note);
    return now;
  }, before);
  return { calibration, notes };
}

/** One that went to its end says whether the rule erred; one that was stopped only that there is one more of its kind. */
function afterEnd(before: Calibration, ended: EndedCurve, { config }: AbortSettings) {
  const { incumbent, auditProbability, value, failed, audited } = ended;
  if (incumbent === null) return before;
  const unseen = failed && audited ? false : null;
  const good = value === null ? unseen : beats(value - incumbent, config.direction);
  return updateCalibration(before, { good, auditProbability, target: config.errorTarget });
}
