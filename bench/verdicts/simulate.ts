import { advance, openGate, startLastRace } from '../../domain/gate/gate.ts';
import { lead, searchPoints } from '../../domain/gate/standing.ts';
import type { Claimed, EndedRun, GateConfig, GateState } from '../../domain/gate/types.ts';
import { createRandom, type Random } from '../../domain/statistics/random.ts';
import { createStopper, type EarlyAbortModel } from './early-abort-model.ts';
import { noiseStream, type Noise } from './noise.ts';

/**
 * True gains of new candidates over their parents, in sd of one run: a share of `share` gains `size`, a share of
 * `nothing` (.3) gains nothing, the rest lose Exp(`loss`) (1.5). `A/A`: all are equal. `at`: all but one are equal.
 */
export type Hill =
  { share: number; size: number; nothing?: number; loss?: number } | 'A/A' | { at: number; gain: number };

/** Failing runs of candidates other than the baseline: 30 % of them, or those whose noise is below −.5 sd (31 %). */
export type Failing = 'at random' | 'if unlucky';
const FAILING_SHARE = 0.3;
const UNLUCKY = -0.5;

/** One simulated research. */
export interface SimulationInput {
  hill: Hill;
  noise: Noise;
  config: GateConfig;
  seed: number;
  /** End of the research: the machine time of that many runs of any kind, or that many search trials. */
  runs?: number;
  searches?: number;
  /** False: after the last search trial, a lead that waits for its race is not raced. */
  lastRace?: boolean;
  /** Trials under way at once. */
  window?: number;
  /** Early abort of search trials; without it, every run runs to its end. */
  early?: EarlyAbortModel;
  /** Runs that fail; without it, every run gives a value. */
  failing?: Failing;
}

export interface SimulationResult {
  state: GateState;
  /** True value of the incumbent and of the lead; the baseline's is 0. */
  incumbent: number;
  lead: number;
  keeps: number;
  falseKeeps: number;
  /** Machine time, in whole runs. */
  runs: number;
  baselineRuns: number;
  searches: number;
  /** Search trials that were stopped (`stopped`), and those to be run again (`probes`). */
  stopped: number;
  probes: number;
  leadMoves: number;
  /** The last claim, as it was made. */
  claimed: Claimed | null;
  truth: Map<string, number>;
}

function gainOf(hill: Hill, random: Random, search: number): number {
  if (hill === 'A/A') return 0;
  if ('at' in hill) return search === hill.at ? hill.gain : 0;
  const u = random.uniform();
  if (u < hill.share) return hill.size;
  return u < hill.share + (hill.nothing ?? 0.3) ? 0 : (hill.loss ?? 1.5) * Math.log(1 - random.uniform());
}

/** Creates the function that decides by a run's noise whether the run fails. It has its own random stream. */
function createFailures(failing: Failing | undefined, seed: number): (luck: number) => boolean {
  if (failing === undefined) return () => false;
  if (failing === 'if unlucky') return (luck) => luck < UNLUCKY;
  const random = createRandom(seed + 0.25 * 2 ** 32);
  return () => random.uniform() < FAILING_SHARE;
}

/** Simulates one research with the production gate: wanted runs first, else a search trial from the gate's parent. */
export function simulate(scene: SimulationInput): SimulationResult {
  const { config, hill } = scene;
  const random = createRandom(scene.seed);
  const noise = noiseStream(scene.noise, random);
  const sign = config.direction === 'minimize' ? -1 : 1;
  const truth = new Map([['c0', 0]]);
  let { state, wanted: queue } = openGate(config, 'c0');
  let claimed: Claimed | null = null;
  const under: EndedRun[] = [];
  const stops = createStopper(scene.early, scene.seed);
  const fails = createFailures(scene.failing, scene.seed);
  let [n, runs, baselineRuns, searches, keeps, falseKeeps] = [0, 0, 0, 0, 0, 0];
  let [completed, stopped, probes, leadMoves] = [0, 0, 0, 0];
  const start = (): void => {
    n += 1;
    const want = queue.shift();
    let run: Omit<EndedRun, 'value'>;
    if (want) run = { ...want, n, seed: n, parentId: null };
    else {
      searches += 1;
      const parentId = searchPoints(config, state)[config.followsLead ? 'lead' : 'incumbent'];
      truth.set(`c${n}`, (truth.get(parentId) ?? 0) + gainOf(hill, random, searches));
      run = { n, kind: 'search', candidateId: `c${n}`, parentId, ofTrial: null, seed: n };
    }
    const trueValue = truth.get(run.candidateId) ?? 0;
    const luck = noise({ candidateId: run.candidateId, truth: trueValue });
    const value = trueValue + luck;
    const bar = (lead(state).estimate ?? Number.NaN) * sign;
    if (scene.early && run.kind === 'search' && stops(value - bar, completed)) {
      runs += scene.early.cost;
      stopped += 1;
      under.push({ ...run, value: null, censored: true, stopped: true });
      return;
    }
    runs += 1;
    if (run.kind === 'baseline') baselineRuns += 1;
    under.push({ ...run, value: run.candidateId !== 'c0' && fails(luck) ? null : sign * value });
  };
  const more = (): boolean => (scene.runs ? runs < scene.runs : searches < (scene.searches ?? 0) || queue.length > 0);
  /** Starts the last race of a lead that still waits for it; true if there is one. */
  const isRacedLast = (): boolean => {
    const race = scene.searches && scene.lastRace !== false ? startLastRace(config, state) : null;
    if (race) [state, queue] = [race.state, [...queue, ...race.wanted]];
    return race !== null;
  };
  while (more() || under.length > 0 || isRacedLast()) {
    while (more() && under.length < (scene.window ?? 1)) start();
    const run = under.shift();
    if (!run) break;
    const before = state.incumbentId;
    const leadBefore = state.leadId;
    if (run.value !== null && (run.kind === 'search' || run.kind === 'baseline')) completed += 1;
    const next = advance(config, state, run);
    state = next.state;
    queue = [...queue, ...next.wanted];
    if (run.kind === 'search' && state.probes.some((probe) => probe.candidateId === run.candidateId)) probes += 1;
    if (state.leadId !== leadBefore) leadMoves += 1;
    claimed = next.claimed ?? claimed;
    if (next.claimed && next.claimed.previous === before) {
      keeps += 1;
      if ((truth.get(state.incumbentId) ?? 0) <= (truth.get(before) ?? 0)) falseKeeps += 1;
    }
  }
  const valueOf = (id: string): number => truth.get(id) ?? 0;
  const at = { incumbent: valueOf(state.incumbentId), lead: valueOf(state.leadId) };
  const counts = { keeps, falseKeeps, runs, baselineRuns, searches, stopped, probes, leadMoves };
  return { state, ...at, ...counts, claimed, truth };
}
