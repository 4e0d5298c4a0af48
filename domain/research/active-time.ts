/** Seconds under way: what was counted, and since when it goes on (ms since the epoch; null while paused). */
export interface ActiveTime {
  activeSeconds: number;
  activeSince: number | null;
}

/**
 * Seconds under way at `now`, of a clock that is read at least every `longest` ms while anything runs: a longer stretch
 * means that nothing did (the stack was down), and counts as one of that length.
 */
export const activeSecondsAt = ({ activeSeconds, activeSince }: ActiveTime, now: number, longest: number): number =>
  activeSince === null ? activeSeconds : activeSeconds + Math.min(now - activeSince, longest) / 1000;
