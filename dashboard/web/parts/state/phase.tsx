import { oneLine } from '../../../../domain/text/sanitize.ts';
import { UntrustedText } from '../untrusted-text.tsx';
import { inBrowserZone } from '../zone.ts';

/** Tone and shape of each phase. They repeat the label, so that no reader depends on colour. */
const LOOKS: Record<string, { tone: string; path: string }> = {
  starting: { tone: 'quiet', path: 'M6 1.5a4.5 4.5 0 1 0 .001 0Z' },
  running: { tone: 'good', path: 'M3 1.5 10.5 6 3 10.5Z' },
  paused: { tone: 'quiet', path: 'M2.5 1.5h2.5v9H2.5ZM7 1.5h2.5v9H7Z' },
  waiting: { tone: 'warn', path: 'M2 1.5h8L6 6l4 4.5H2L6 6Z' },
  stopping: { tone: 'quiet', path: 'M2 2h8v8H2Z' },
  stopped: { tone: 'quiet', path: 'M2 2h8v8H2Z' },
  failed: { tone: 'bad', path: 'M2.5 2.5l7 7M9.5 2.5l-7 7' },
};

/** The phase of a research, with its reason. */
export function PhaseBadge({ phase, reason: stored }: { phase: string; reason: string | null }) {
  const reason = stored === null ? null : inBrowserZone(stored);
  const { tone, path } = LOOKS[phase] ?? { tone: 'quiet', path: 'M2 6h8' };
  return (
    <span className="phase" data-tone={tone}>
      <span className="badge">
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <path d={path} fill={phase === 'failed' ? 'none' : 'currentColor'} stroke="currentColor" />
        </svg>
        {phase}
      </span>
      {reason ? (
        <span className="small" title={oneLine(reason)}>
          <UntrustedText text={reason} line max={300} />
        </span>
      ) : null}
    </span>
  );
}
