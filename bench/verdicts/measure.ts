import { reportGain } from '../../domain/gate/gate.ts';
import { gainMoments } from '../../domain/gate/screen/prior.ts';
import type { GateConfig } from '../../domain/gate/types.ts';
import type { Noise } from './noise.ts';
import { simulate, type Hill, type SimulationInput } from './simulate.ts';

/** Methods of keeping: parents from the incumbent and claims by race; parents from the lead; the plain strict rule. */
export const METHODS = ['confirmed-only', 'lead', 'strict'] as const;
export type Method = (typeof METHODS)[number];

export function configOf(method: Method): GateConfig {
  return {
    policy: method === 'strict' ? 'strict' : 'noise-gated',
    direction: 'maximize',
    minDelta: 0,
    falseKeepsPer200: 0.05,
    baselineRuns: method === 'strict' ? 1 : 10,
    repeats: 1,
    followsLead: method === 'lead',
  };
}

export interface Measurement {
  repeats: number;
  /** True values of the incumbent and the lead in sd of one run, as means over the repeats. `error`: of `incumbent`. */
  incumbent: number;
  error: number;
  lead: number;
  keeps: number;
  falseKeeps: number;
  falsePer200: number;
  anyFalse: number;
  runsPerSearch: number;
  searches: number;
  /** Shares of the search trials. */
  stopped: number;
  probed: number;
  leadMoves: number;
  /** Mean gain of an edit in the learned prior of the gate, in sd of one run. */
  believed: number;
  /** Share of researches with a claim whose true gain lies in the report's 95 % interval; null without claims. */
  covered: number | null;
}

/** Plays one scene `repeats` times, with seeds counted from `scene.seed`. */
export function measure(scene: Omit<SimulationInput, 'config'>, method: Method, repeats: number): Measurement {
  const config = configOf(method);
  const outcomes = Array.from({ length: repeats }, (_, i) => simulate({ ...scene, config, seed: scene.seed + i }));
  const mean = (part: (outcome: (typeof outcomes)[number]) => number): number =>
    outcomes.reduce((sum, outcome) => sum + part(outcome), 0) / repeats;
  const incumbent = mean((one) => one.incumbent);
  const spread = mean((one) => (one.incumbent - incumbent) ** 2);
  const searches = mean((one) => one.searches);
  const falseKeeps = mean((one) => one.falseKeeps);
  const claims = outcomes.flatMap((one) => {
    const { claim } = reportGain(config, one.state);
    return one.keeps > 0 && claim ? [claim.low <= one.incumbent && one.incumbent <= claim.high] : [];
  });
  return {
    repeats,
    incumbent,
    error: Math.sqrt(spread / repeats),
    lead: mean((one) => one.lead),
    keeps: mean((one) => one.keeps),
    falseKeeps,
    falsePer200: (falseKeeps / searches) * 200,
    anyFalse: mean((one) => (one.falseKeeps > 0 ? 1 : 0)),
    runsPerSearch: mean((one) => one.runs) / searches,
    searches,
    stopped: mean((one) => one.stopped) / searches,
    probed: mean((one) => one.probes) / searches,
    leadMoves: mean((one) => one.leadMoves),
    believed: mean((one) => gainMoments(one.state.prior.weights, 1).mean),
    covered: claims.length > 0 ? claims.filter(Boolean).length / claims.length : null,
  };
}

export const HILLS: readonly { name: string; hill: Hill }[] = [
  { name: '10 % of 1 sd', hill: { share: 0.1, size: 1 } },
  { name: '20 % of .5 sd', hill: { share: 0.2, size: 0.5 } },
  { name: '10 % of .5 sd', hill: { share: 0.1, size: 0.5 } },
  { name: '5 % of 2 sd', hill: { share: 0.05, size: 2 } },
  { name: 'A/A', hill: 'A/A' },
];

/** Hills whose losers differ from the first prior of the gate: hardly any harm, and much harm. */
export const OTHER_HILLS: readonly { name: string; hill: Hill }[] = [
  { name: '10 % of 1 sd, 80 % nothing', hill: { share: 0.1, size: 1, nothing: 0.8 } },
  { name: '10 % of 1 sd, losers Exp(.5)', hill: { share: 0.1, size: 1, loss: 0.5 } },
  { name: '10 % of 1 sd, losers Exp(4)', hill: { share: 0.1, size: 1, loss: 4 } },
  { name: '2 % of 4 sd', hill: { share: 0.02, size: 4 } },
];

/** Hills of a first task that is far from its optimum. */
export const LARGE_HILLS: readonly { name: string; hill: Hill }[] = [
  { name: '10 % of 4 sd', hill: { share: 0.1, size: 4 } },
  { name: '10 % of 10 sd', hill: { share: 0.1, size: 10 } },
  { name: '30 % of 10 sd', hill: { share: 0.3, size: 10 } },
];

/** A/A: equal candidates, 200 search trials. */
export function falseKeeps(noise: Noise, method: Method, repeats: number): Measurement {
  return measure({ hill: 'A/A', noise, seed: 10_000, searches: 200 }, method, repeats);
}

/** Share of researches that have claimed the one better candidate (search trial 21) by search trial 60. */
export function power(gain: number, method: Method, repeats: number): number {
  const config = configOf(method);
  let found = 0;
  for (let i = 0; i < repeats; i += 1) {
    const scene = { hill: { at: 21, gain }, noise: 'normal' as const, config, seed: 20_000 + i, searches: 60 };
    if (simulate(scene).incumbent > 0.5 * gain) found += 1;
  }
  return found / repeats;
}
