import type { Outcome } from '../../../api/outcomes.ts';
import { OUTCOME_SHAPES, OUTCOME_LABELS } from './outcome-look.ts';

/** The shape of an outcome with its label. */
export function OutcomeBadge({ outcome, word }: { outcome: Outcome; word?: string }) {
  return (
    <span className="badge">
      <OutcomeSign outcome={outcome} />
      {word ?? OUTCOME_LABELS[outcome]}
    </span>
  );
}

export function OutcomeSign({ outcome }: { outcome: Outcome }) {
  const { path, filled } = OUTCOME_SHAPES[outcome];
  const colour = `var(--${outcome})`;
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={path} fill={filled ? colour : 'none'} stroke={colour} strokeWidth="1.6" strokeLinejoin="round" />
    </svg>
  );
}
