/** Name of a colour's CSS custom property, such as `--keep`. The colour follows the theme. */
export type Ink = `--${string}`;

/** An SVG path in a 12 × 12 box, filled or stroked. */
export interface Shape {
  path: string;
  filled: boolean;
}

interface Named {
  /** Label in the legend, the tooltip and the table. */
  label: string;
  /** True: not in the legend. */
  unlisted?: boolean;
}

/** A line through points, or steps: each value holds until the next x, the last one until `end`. Nulls are gaps. */
export interface LineLayer extends Named {
  kind: 'line' | 'step';
  x: readonly number[];
  y: readonly (number | null)[];
  ink: Ink;
  /** Width in CSS pixels; default 1.5. */
  width?: number;
  dash?: readonly number[];
  /** The x up to which a step's last value holds. */
  end?: number;
  /** Interval around each value, drawn as a band. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** True: draws a mark at each point. */
  marks?: boolean;
}

/** Dots in groups. A dot without a value is in a lane at the bottom of the plot. */
export interface DotsLayer extends Named {
  kind: 'dots';
  x: readonly number[];
  y: readonly (number | null)[];
  /** Index into `groups`, for each point. */
  group: readonly number[];
  groups: readonly DotGroup[];
}
export interface DotGroup {
  label: string;
  ink: Ink;
  shape: Shape;
  /** Number in the legend, if the points were thinned; default: the number of points. */
  count?: number;
}

/** Bars from `x` to `x + width`, from `base` (0) to `base + y`. */
export interface BarsLayer extends Named {
  kind: 'bars';
  x: readonly number[];
  y: readonly (number | null)[];
  base?: readonly number[];
  /** Width in units of x. */
  width: number;
  ink: Ink;
}

/** A horizontal line over the whole width, with a band of ± `spread`. */
export interface LevelLayer extends Named {
  kind: 'level';
  y: number;
  spread?: number | null;
  ink: Ink;
  dash?: readonly number[];
  /** True: the axis need not reach the level. If it does not, the label with an arrow is at the edge. */
  far?: boolean;
}

/** A vertical line with its label, and the stretch that it begins. */
export interface MarkLayer extends Named {
  kind: 'mark';
  x: number;
  /** End of the stretch, which is shaded; absent: a line alone. */
  until?: number;
  ink: Ink;
}

export type Layer = LineLayer | DotsLayer | BarsLayer | LevelLayer | MarkLayer;

/** A layer that has points. */
export type PointLayer = LineLayer | DotsLayer | BarsLayer;
export const hasPoints = (layer: Layer): layer is PointLayer => layer.kind !== 'level' && layer.kind !== 'mark';

/** Indices of a layer and of a point in it. */
export interface Point {
  layer: number;
  index: number;
}

/** Ranges of the axes. */
export interface Extent {
  x: [number, number];
  y: [number, number];
}
