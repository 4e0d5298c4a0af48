import { useMemo } from 'react';
import type { PhaseSpan, Research } from '../../../../api/research.ts';
import { formatSeconds } from '../../../../../domain/text/format.ts';
import { oneLine } from '../../../../../domain/text/sanitize.ts';
import { inBrowserZone, momentText } from '../../../parts/zone.ts';

/** A stretch of the strip. `from` and `width` are shares of the whole strip. */
interface Stretch {
  phase: string;
  reason: string | null;
  from: number;
  width: number;
  seconds: number;
}

/** Stretches of the phases from the first one until now. Successive spans with the same phase and reason are merged. */
export function stretchesOf(phases: readonly PhaseSpan[], now: string): Stretch[] {
  const first = phases[0];
  if (first === undefined) return [];
  const [start, end] = [Date.parse(first.from), Date.parse(now)];
  const whole = Math.max(1, end - start);
  const stretches: Stretch[] = [];
  for (const { phase, reason, from, to } of phases) {
    const [begin, until] = [Date.parse(from), to === null ? end : Date.parse(to)];
    const width = Math.max(0, until - begin) / whole;
    const last = stretches.at(-1);
    if (last?.phase === phase && last.reason === reason) {
      last.width += width;
      last.seconds += (until - begin) / 1000;
    } else stretches.push({ phase, reason, from: (begin - start) / whole, width, seconds: (until - begin) / 1000 });
  }
  return stretches;
}

/** Seconds in each phase, the longest first. */
export function secondsByPhase(stretches: readonly Stretch[]): [phase: string, seconds: number][] {
  const sums = new Map<string, number>();
  for (const { phase, seconds } of stretches) sums.set(phase, (sums.get(phase) ?? 0) + seconds);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** Strip of the phases from the start until now, in proportion to their time, with the time in each phase. */
export function PhaseStrip({ research: { phases, now } }: { research: Research }) {
  const stretches = useMemo(() => stretchesOf(phases, now), [phases, now]);
  const first = phases[0];
  if (first === undefined) return null;
  return (
    <div className="phases small">
      <div className="strip" aria-hidden="true">
        {stretches.map(({ phase, reason, from, width, seconds }) => (
          <span
            key={from}
            data-phase={phase}
            style={{ left: `${from * 100}%`, width: `${width * 100}%` }}
            title={`${phase}, ${formatSeconds(seconds)}${reason ? `: ${oneLine(inBrowserZone(reason))}` : ''}`}
          />
        ))}
      </div>
      <p className="quiet">
        since {momentText(first.from)}:{' '}
        {secondsByPhase(stretches).map(([phase, seconds], index) => (
          <span key={phase} className="phase-sum" data-phase={phase}>
            {index > 0 ? ' · ' : ''}
            {phase} {formatSeconds(seconds)}
          </span>
        ))}
      </p>
    </div>
  );
}
