import { useId } from 'react';
import { PATTERN_LINES, type GanttKind } from '../../../../view/figure/drawings/gantt.ts';

/** Sample bar of an outcome in its colour and pattern. */
export function KindSign({ kind: { role, pattern } }: { kind: GanttKind }) {
  const id = useId();
  const colour = `var(--${role})`;
  const fills: Partial<Record<GanttKind['pattern'], string>> = { plain: colour, hollow: 'var(--accent-soft)' };
  const fill = fills[pattern] ?? `url(#${id})`;
  return (
    <svg width="20" height="12" viewBox="0 0 20 12" aria-hidden="true">
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse">
        <path
          d={PATTERN_LINES[pattern] || 'M0 0'}
          stroke={colour}
          strokeWidth={pattern === 'dots' ? 2.6 : 1.6}
          strokeLinecap="round"
          fill="none"
        />
      </pattern>
      <rect x="0.5" y="0.5" width="19" height="11" fill={fill} stroke={colour} />
    </svg>
  );
}
