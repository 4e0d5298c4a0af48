import type { Phase } from '../../../db/schema.ts';

/** The research writes its time under way once a minute; without that for longer nothing is under way. */
const RECORD_SECONDS = 65;

/**
 * Time under way as the budget counts it, going on between two records while the research does: at most until the next
 * one is due, so that neither a pause nor a stack that is stopped is counted. Never goes back.
 */
export function createActiveClock(): (recorded: number, phase: Phase, now: Date) => number {
  let last = { recorded: NaN, at: 0 };
  let shown = 0;
  return (recorded, phase, now) => {
    if (recorded !== last.recorded) last = { recorded, at: now.getTime() };
    const runs = phase === 'running' || phase === 'waiting' || phase === 'stopping';
    const since = runs ? Math.min(RECORD_SECONDS, (now.getTime() - last.at) / 1000) : 0;
    shown = Math.max(shown, recorded + since);
    return shown;
  };
}
