import { useMemo } from 'react';
import type { Research } from '../../../../api/research.ts';
import { formatSeconds } from '../../../../../domain/text/format.ts';
import { oneLine } from '../../../../../domain/text/clean.ts';
import { momentText } from '../../../parts/value.tsx';
import { secondsByPhase, stretchesOf } from './phases.ts';

/** Phases from the start until now, in their proportions, and the time in each. */
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
            title={`${phase}, ${formatSeconds(seconds)}${reason ? `: ${oneLine(reason)}` : ''}`}
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
