import { createRandom, type Random } from '../../domain/statistics/random.ts';
import { adaptWindow, initialWindow, proposalsAhead, windowOf, type WindowState } from '../../domain/window/window.ts';

/** Duration of a proposal: seconds ± 10 %, or a log-normal with mean 10 s and a tail of minutes. */
export type Propose = number | 'heavy';

export interface WindowSimulationInput {
  slots: number;
  runSeconds: number;
  propose: Propose;
  /** Duration of a proposal from the middle of the simulation on. */
  proposeLater?: Propose;
  trials: number;
  seed: number;
  /** A fixed window instead of the controller. */
  fixed?: number;
}

export interface WindowSimulationResult {
  /** Share of slot time spent on runs in the last quarter. */
  busy: number;
  /** Trials that ended between a proposal's start and its run's start, on average in the last quarter. */
  staleness: number;
  /** Changes of the window (`changes`) and of their direction (`turns`) in the last quarter of each half. */
  changes: number;
  turns: number;
  window: number;
  state: WindowState;
}

/** Seconds from a free slot to the next start. */
const DISPATCH = 0.012;
/** Seconds from the end of a run to its verdict. */
const AFTER = 0.08;

interface Trial {
  begunAt: number;
  endedBefore: number;
  proposeSeconds: number;
  readyAt: number;
}
type Event = { at: number } & (
  | { kind: 'ready'; trial: Trial }
  | { kind: 'free'; slot: number }
  | { kind: 'ended'; trial: Trial; startedAt: number; slotWait: number | null; runSeconds: number }
);

function draw(propose: Propose, random: Random): number {
  if (propose === 'heavy') return 10 * Math.exp(1.2 * random.normal() - 0.72);
  return propose * (0.9 + 0.2 * random.uniform());
}

/** Simulates proposals, slots and verdicts as events. The window is read before each start of a proposal. */
export function simulateWindow(scene: WindowSimulationInput): WindowSimulationResult {
  const random = createRandom(scene.seed);
  let state = initialWindow({ slots: scene.slots, ahead: proposalsAhead(scene.slots) });
  const events: Event[] = [];
  const ready: Trial[] = [];
  const free = Array.from({ length: scene.slots }, (_, slot) => ({ slot, since: null as number | null }));
  let [now, begun, ended, busySeconds, busyFrom, stale, staleCount] = [0, 0, 0, 0, 0, 0, 0];
  const path: number[] = [];
  const put = (event: Event): void => {
    let i = events.length;
    while (i > 0 && (events[i - 1]?.at ?? 0) > event.at) i -= 1;
    events.splice(i, 0, event);
  };
  const begin = (): void => {
    const window = scene.fixed ?? windowOf(state);
    while (begun - ended < window && begun < scene.trials) {
      const later = begun > scene.trials / 2 && scene.proposeLater !== undefined;
      const proposeSeconds = draw(later ? (scene.proposeLater ?? 0) : scene.propose, random);
      const trial = { begunAt: now, endedBefore: ended, proposeSeconds, readyAt: now + proposeSeconds };
      begun += 1;
      put({ at: trial.readyAt, kind: 'ready', trial });
    }
  };
  const dispatch = (): void => {
    while (ready.length > 0 && free.length > 0) {
      const trial = ready.shift();
      const slot = free.shift();
      if (!trial || !slot) return;
      const startedAt = now + DISPATCH;
      const runSeconds = scene.runSeconds * (0.9 + 0.2 * random.uniform());
      const late = ended > 0.75 * scene.trials;
      if (late) {
        busyFrom ||= now;
        busySeconds += runSeconds;
        stale += ended - trial.endedBefore;
        staleCount += 1;
      }
      const slotWait = slot.since === null ? null : startedAt - slot.since;
      put({ at: startedAt + runSeconds, kind: 'free', slot: slot.slot });
      put({ at: startedAt + runSeconds + AFTER, kind: 'ended', trial, startedAt, slotWait, runSeconds });
    }
  };
  begin();
  // The simulation ends with the last proposal, since slots without proposals would count as starved.
  for (let event = events.shift(); event && begun < scene.trials; event = events.shift()) {
    now = event.at;
    if (event.kind === 'ready') ready.push(event.trial);
    else if (event.kind === 'free') free.push({ slot: event.slot, since: now });
    else {
      ended += 1;
      path.push(windowOf(state));
      const { trial, startedAt, slotWait, runSeconds } = event;
      state = adaptWindow(state, {
        slotWaitSeconds: slotWait,
        readyWaitSeconds: startedAt - trial.readyAt,
        proposeSeconds: trial.proposeSeconds,
        slotSeconds: runSeconds,
      });
      begin();
    }
    dispatch();
  }
  const settled = [path.slice(path.length * 0.375, path.length / 2), path.slice(path.length * 0.75)];
  const steps = settled.map(stepsOf);
  return {
    busy: Math.min(1, busySeconds / (now - busyFrom) / scene.slots),
    staleness: stale / Math.max(1, staleCount),
    changes: steps.reduce((sum, list) => sum + list.length, 0),
    turns: steps.reduce((sum, list) => sum + turnsOf(list), 0),
    window: windowOf(state),
    state,
  };
}

function stepsOf(path: readonly number[]): number[] {
  return path.slice(1).flatMap((window, i) => (window === path[i] ? [] : [window - (path[i] ?? 0)]));
}

/** Number of turns from up to down or back in a list of steps. */
function turnsOf(steps: readonly number[]): number {
  return steps.slice(1).filter((step, i) => step > 0 !== (steps[i] ?? 0) > 0).length;
}
