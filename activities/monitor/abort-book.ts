import { signOf } from '../../domain/abort/curve.ts';
import { afterRun, NOT_AUDITED, trust, type Calibration } from '../../domain/abort/audit/calibration.ts';
import { openRule } from '../../domain/abort/rules.ts';
import type { AbortSettings } from '../../domain/abort/settings.ts';
import type { AbortDecision, AbortInput } from '../../domain/abort/types.ts';
import type { EndedCurve } from '../../db/queries/abort.ts';
import { lead } from '../../domain/gate/gate.ts';
import type { Store } from '../../db/store.ts';

/** A book is read anew at most this often: ends of other runs matter within seconds, not milliseconds. */
const FRESH_MS = 1000;
/** Points of a finished curve that are learned; the rules look at some forty places. */
const CURVE_POINTS = 2000;

/** What finished runs of a task version have taught a rule. */
export interface AbortBook {
  /** Learns what has ended meanwhile. */
  read(): Promise<AbortReading>;
  /** What the rule says of a run, by all that it has learned so far. */
  decide(input: AbortInput): AbortDecision;
}

export interface AbortReading {
  /** The value that a run has to beat; null while there is none. */
  incumbent: number | null;
  /** How much evidence the rule is to ask for, in multiples; null where its errors have switched it off. */
  strictness: number | null;
  /** Runs that it wanted to stop so far. */
  wishes: number;
}

/** Learns each finished run once; after a restart everything is learned again from the database, in the same order. */
export function createAbortBook(from: {
  store: Store;
  researchId: string;
  taskHash: string;
  settings: AbortSettings;
}): AbortBook {
  const { store, researchId, taskHash, settings } = from;
  const known: number[] = [];
  let rule = openRule(settings.rule, settings.config);
  let calibration = NOT_AUDITED;
  let last: { at: number; reading: Promise<AbortReading> } | undefined;

  const learn = async (ended: EndedCurve): Promise<void> => {
    const points = await store.loadCurve({ ...ended, most: CURVE_POINTS });
    const next = afterEnd(calibration, ended, settings);
    const { note, strictness } = trust(next);
    if (note !== null && strictness !== trust(calibration).strictness)
      await store.insertAlert({ researchId, message: note, once: true });
    // From here on nothing waits: learned once, or not at all.
    known.push(ended.n);
    calibration = next;
    if (points.length > 0) rule = rule.learn({ points, budget: settings.budget, final: ended.value });
  };

  const read = async (): Promise<AbortReading> => {
    for (const ended of await store.findEndedCurves({ researchId, taskHash, known })) await learn(ended);
    const [research, wishes] = await Promise.all([
      store.findResearch(researchId),
      store.countWishes({ researchId, taskHash }),
    ]);
    return { incumbent: research ? lead(research.gate).mean : null, strictness: trust(calibration).strictness, wishes };
  };

  return {
    read: () => {
      if (last && Date.now() - last.at < FRESH_MS) return last.reading;
      // One after the other: each learns what the one before has not.
      const reading = (last?.reading ?? Promise.resolve()).then(read, read);
      reading.catch(() => (last = undefined));
      last = { at: Date.now(), reading };
      return reading;
    },
    decide: (input) => {
      const asked = rule.decide(input);
      rule = asked.rule;
      return asked.decision;
    },
  };
}

/** A run that was stopped says nothing about the rule's error; one that went to its end does. */
function afterEnd(before: Calibration, { abort, value }: EndedCurve, { config }: AbortSettings): Calibration {
  if (abort === null || value === null || abort.incumbent === null) return before;
  const sign = signOf(config.direction);
  const good = sign * value < sign * abort.incumbent;
  return afterRun(before, { good, auditProbability: abort.auditProbability, target: config.errorTarget });
}
