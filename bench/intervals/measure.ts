import { claim, reportGain } from '../../domain/gate/gate.ts';
import { upperQuantile } from '../../domain/statistics/student-t.ts';
import { configOf } from '../verdicts/measure.ts';
import { simulate, type SimulationResult } from '../verdicts/simulate.ts';
import type { Scene } from './scenes.ts';

/** An interval of one claim: its error is the middle less the truth. In sd of one run. */
interface Interval {
  error: number;
  half: number;
}

/** Intervals over many claims. `covered`: share that contains the truth. `error` and `half`: means. */
export interface Coverage {
  covered: number;
  error: number;
  half: number;
}

export interface Measured {
  /** Researches that ended with a claim. */
  claims: number;
  /** Value and gain, as the gate reports them. */
  value: Coverage;
  gain: Coverage;
  /** The same from the race alone: the value with its own sd, the gain with the sd that all candidates share. */
  raceValue: Coverage;
  raceGain: Coverage;
  runsPerTrial: number;
}

/** Plays a scene `repeats` times, and compares the intervals of its last claims with the true values. */
export function measureScene(scene: Scene, { trials, repeats }: { trials: number; repeats: number }): Measured {
  const { noise, hill, falseKeepsPer200 } = scene;
  const usual = configOf('lead');
  const config = { ...usual, falseKeepsPer200: falseKeepsPer200 ?? usual.falseKeepsPer200 };
  const ended = Array.from({ length: repeats }, (_, i) =>
    simulate({ hill, noise, config, seed: 5000 + i, searches: trials, window: 4 }),
  );
  const claims = ended.flatMap((one) => {
    const found = intervalsOf(one, scene);
    return found ? [found] : [];
  });
  const runs = ended.reduce((sum, one) => sum + one.runs, 0);
  return {
    claims: claims.length,
    value: coverageOf(claims.map(({ value }) => value)),
    gain: coverageOf(claims.map(({ gain }) => gain)),
    raceValue: coverageOf(claims.map(({ raceValue }) => raceValue)),
    raceGain: coverageOf(claims.map(({ raceGain }) => raceGain)),
    runsPerTrial: runs / repeats / trials,
  };
}

function intervalsOf(
  { state, incumbent, claimed }: SimulationResult,
  { noiseMean = 0, noiseSd = 1 }: Scene,
): Record<'value' | 'gain' | 'raceValue' | 'raceGain', Interval> | null {
  const { claim: gain } = reportGain(configOf('lead'), state);
  const { mean, low, high } = claim(state);
  if (!claimed || !gain || state.incumbentId === state.baselineId || mean === null) return null;
  const interval = (middle: number, half: number, truth: number): Interval => ({
    error: (middle - truth) / noiseSd,
    half: half / noiseSd,
  });
  const truth = incumbent + noiseMean;
  const { series } = state.baseline;
  const { ss, df } = state.noise;
  const raceHalf = (upperQuantile(0.025, claimed.n - 1) * claimed.sd) / Math.sqrt(claimed.n);
  const shared = Math.sqrt((ss / df) * (1 / claimed.n + 1 / series.n));
  return {
    value: interval(mean, ((high ?? mean) - (low ?? mean)) / 2, truth),
    gain: interval(gain.gain, (gain.high - gain.low) / 2, incumbent),
    raceValue: interval(claimed.value, raceHalf, truth),
    raceGain: interval(claimed.value - series.mean, upperQuantile(0.025, df) * shared, incumbent),
  };
}

function coverageOf(intervals: readonly Interval[]): Coverage {
  const mean = (part: (interval: Interval) => number): number =>
    intervals.reduce((sum, interval) => sum + part(interval), 0) / intervals.length;
  return {
    covered: mean(({ error, half }) => (Math.abs(error) <= half ? 1 : 0)),
    error: mean(({ error }) => error),
    half: mean(({ half }) => half),
  };
}
