import { SetWindowArgs } from '../messages.ts';
import type { PauseAndStop } from '../research/phase.ts';
import { isObject, type StartArgs } from './pause-and-stop.ts';

interface RunFacts {
  /** The database knows the research. */
  opened: boolean;
  /** Argument of the last `setWindow` that the run accepted; undefined if there was none. */
  setWindow: unknown;
  /** Pause and stop in force. */
  pauseAndStop: PauseAndStop;
}

/**
 * Returns the arguments to restart a research with. Once a research is opened, its budget and proposer are in the
 * database: those of its start would override newer ones, so they are left out. Window, pause and stop are passed on:
 * the next run must have them before it starts anything.
 */
export function restartArgs(args: unknown, { opened, setWindow, pauseAndStop }: RunFacts): unknown {
  if (!isObject(args)) return args;
  const { carry, window: first, budget, proposer, ...others } = args;
  const kept = withPauseAndStop(others, pauseAndStop);
  const window = windowOf(setWindow) ?? (isObject(carry) ? (carry['fixedWindow'] ?? 'auto') : first);
  const unapplied = Object.entries({ budget: opened ? undefined : budget, proposer: opened ? undefined : proposer });
  return {
    ...kept,
    ...Object.fromEntries([['window', window], ...unapplied].filter(([, value]) => value !== undefined)),
  };
}

/** Replaces pause and stop in start arguments. */
export function withPauseAndStop(args: StartArgs, pauseAndStop: PauseAndStop): StartArgs {
  const { paused, stopping, ...kept } = args;
  void [paused, stopping];
  return { ...kept, ...pauseAndStop };
}

function windowOf(setWindow: unknown): 'auto' | number | undefined {
  const parsed = SetWindowArgs.safeParse(setWindow);
  return parsed.success ? parsed.data.window : undefined;
}
