import { NoArgs, StopArgs } from '../messages.ts';
import { SIGNALS } from '../messages/names.ts';
import type { PauseAndStop } from '../research/phase.ts';

/** Start arguments of a run of a research, of any version; `carry` is from the previous run. */
export type StartArgs = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is StartArgs =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Facts from the history of a run of a research. */
interface Received {
  /** Start arguments of the run. */
  args: unknown;
  /** Signals `pause`, `resume` and `stop`, in order, whether or not the run had read them. */
  steering: readonly { name: string; arg: unknown }[];
  isCancelled: boolean;
}

/**
 * Pause and stop in force at the end of a run: those of its start, then its signals, by the workflow's own rules. A
 * stop is final, so a later `pause` or `resume` is ignored. A cancel is a stop with `now`.
 */
export function pauseAndStopAtEnd({ args, steering, isCancelled }: Received): PauseAndStop {
  const given = isObject(args) ? args : {};
  const first = isObject(given['carry']) ? given['carry'] : given;
  let paused = first['paused'] === true;
  let stopping = stoppingIn(first);
  for (const { name, arg } of steering)
    if (name === SIGNALS.stop) {
      const stop = StopArgs.safeParse(arg ?? undefined);
      if (stop.success) stopping = stop.data.now || stopping === 'now' ? 'now' : 'drain';
    } else if (stopping === undefined && NoArgs.safeParse(arg ?? undefined).success) paused = name === SIGNALS.pause;
  if (isCancelled) stopping = 'now';
  const pauseAndStop: PauseAndStop = {};
  if (paused) pauseAndStop.paused = true;
  if (stopping !== undefined) pauseAndStop.stopping = stopping;
  return pauseAndStop;
}

function stoppingIn({ stopping }: StartArgs): 'drain' | 'now' | undefined {
  return stopping === 'drain' || stopping === 'now' ? stopping : undefined;
}

/** The end of a research, as its run stores it. */
export interface RecordedEnd {
  phase: 'stopped';
  reason: string | null;
  window: number;
  activeSeconds: number;
}

/** The end that a run decided on, from the last phase that it stored or was about to store; null if it goes on. */
export function recordedEnd(lastPhase: unknown): RecordedEnd | null {
  if (!isObject(lastPhase) || lastPhase['phase'] !== 'stopped') return null;
  const { reason, window, activeSeconds } = lastPhase;
  return {
    phase: 'stopped',
    reason: typeof reason === 'string' ? reason : null,
    window: typeof window === 'number' ? window : 1,
    activeSeconds: typeof activeSeconds === 'number' ? activeSeconds : 0,
  };
}
