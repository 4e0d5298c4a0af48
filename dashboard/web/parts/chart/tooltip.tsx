import { useLayoutEffect, useRef } from 'react';
import { ForeignText } from '../text.tsx';
import type { Hover } from './use-plot.ts';

/** Words at a point: what it is, and its facts. */
export interface Tip {
  title: string;
  lines: readonly string[];
}

/** The words beside the point under the cursor, kept inside the chart. */
export function Tooltip({ hover: { left, top }, tip: { title, lines } }: { hover: Hover; tip: Tip }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const around = element?.parentElement;
    if (!element || !around) return;
    const right = left + 14 + element.offsetWidth > around.clientWidth;
    element.style.left = `${Math.max(0, right ? left - 14 - element.offsetWidth : left + 14)}px`;
    element.style.top = `${Math.max(0, Math.min(top - 12, around.clientHeight - element.offsetHeight))}px`;
  });
  return (
    <>
      <span className="chart-ring" style={{ left, top }} />
      <div className="chart-tip" ref={box}>
        <strong>
          <ForeignText text={title} line max={160} />
        </strong>
        {lines.map((line, index) => (
          <p key={index}>
            <ForeignText text={line} line max={300} />
          </p>
        ))}
      </div>
    </>
  );
}
