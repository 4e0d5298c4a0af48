import type { PhaseSpan } from '../page/research/phase-spans.ts';
import type { Stops } from './period.ts';

/** Phases in which a research that has not ended stands still. */
const STILL: readonly string[] = ['waiting', 'paused'];

/** Times of a period in which a research waited or was paused; null if there were none. */
export function stopsIn(spans: readonly PhaseSpan[], { from, to }: { from: Date; to: Date }): Stops | null {
  const cut = spans
    .filter(({ phase }) => STILL.includes(phase))
    .map((span) => ({
      reason: span.reason ?? span.phase,
      begin: Math.max(Date.parse(span.from), from.getTime()),
      end: Math.min(span.to === null ? to.getTime() : Date.parse(span.to), to.getTime()),
    }))
    .filter(({ begin, end }) => end > begin);
  const [first, last] = [cut[0], cut.at(-1)];
  if (first === undefined || last === undefined) return null;
  const longest = cut.reduce((most, span) => (span.end - span.begin > most.end - most.begin ? span : most));
  return {
    count: cut.length,
    seconds: cut.reduce((sum, { begin, end }) => sum + (end - begin) / 1000, 0),
    reason: longest.reason,
    from: new Date(first.begin).toISOString(),
    to: new Date(last.end).toISOString(),
  };
}
