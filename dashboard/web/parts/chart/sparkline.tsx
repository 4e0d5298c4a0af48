interface Props {
  x: readonly number[];
  y: readonly (number | null)[];
  /** Accessible name of the curve. */
  label: string;
  width?: number;
  height?: number;
  /** True: each value holds until the next x, the last one until `end`. */
  step?: boolean;
  end?: number;
}

/** A small curve without axes, for a line of text. */
export function Sparkline({ x, y, label, width = 96, height = 24, step = false, end }: Props) {
  const points = x.flatMap((at, index) => {
    const value = y[index] ?? null;
    return value === null || !Number.isFinite(value) ? [] : [[at, value] as const];
  });
  if (points.length === 0) return <span className="quiet">–</span>;
  const { left, top, wide, tall } = boxOf(points, end);
  const toPixels = ([at, value]: readonly [number, number]): [number, number] => [
    2 + ((at - left) / wide) * (width - 4),
    2 + ((top - value) / tall) * (height - 4),
  ];
  const placed = points.map(toPixels);
  const last = placed.at(-1) ?? [0, 0];
  const to = end === undefined ? last[0] : toPixels([end, 0])[0];
  const path = placed
    .map(([px, py], index) => {
      if (index === 0) return `M${round(px)} ${round(py)}`;
      return step ? `H${round(px)}V${round(py)}` : `L${round(px)} ${round(py)}`;
    })
    .join('');
  return (
    <svg
      className="spark"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <path d={step ? `${path}H${round(to)}` : path} fill="none" stroke="currentColor" strokeWidth="1.5" />
      <circle cx={round(step ? to : last[0])} cy={round(last[1])} r="2" fill="currentColor" />
    </svg>
  );
}

const round = (position: number): number => Math.round(position * 10) / 10;

function boxOf(points: readonly (readonly [number, number])[], end: number | undefined) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs, end ?? -Infinity)];
  const [bottom, top] = [Math.min(...ys), Math.max(...ys)];
  return { left, top: top === bottom ? top + 0.5 : top, wide: right - left || 1, tall: top - bottom || 1 };
}
