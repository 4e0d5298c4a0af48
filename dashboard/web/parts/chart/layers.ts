/** A colour by the name of its custom property, so that it follows the theme: `--keep`. */
export type Ink = `--${string}`;

/** A shape in a box of 12 by 12, filled or drawn as lines. */
export interface Shape {
  path: string;
  filled: boolean;
}

interface Named {
  /** In the legend, the tooltip and the table. */
  label: string;
  /** Not in the legend. */
  unlisted?: boolean;
}

/** A line through points, or a step: each value holds until the next one, the last one until `end`. Nulls are gaps. */
export interface LineLayer extends Named {
  kind: 'line' | 'step';
  x: readonly number[];
  y: readonly (number | null)[];
  ink: Ink;
  /** CSS pixels; 1.5 where it is not given. */
  width?: number;
  dash?: readonly number[];
  /** A step's last value holds up to here. */
  end?: number;
  /** An interval around the value, filled. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** Each point is marked. */
  marks?: boolean;
}

/** Points by group; one without a value stands in a lane below the plot. */
export interface DotsLayer extends Named {
  kind: 'dots';
  x: readonly number[];
  y: readonly (number | null)[];
  /** Of each point, an index into `groups`. */
  group: readonly number[];
  groups: readonly DotGroup[];
}
export interface DotGroup {
  label: string;
  ink: Ink;
  shape: Shape;
  /** Beside the label in the legend, where the points were thinned; else the points are counted. */
  count?: number;
}

/** Bars from `x` to `x + width`, from `base` (0) to `base + y`. */
export interface BarsLayer extends Named {
  kind: 'bars';
  x: readonly number[];
  y: readonly (number | null)[];
  base?: readonly number[];
  /** In units of x. */
  width: number;
  ink: Ink;
}

/** A level over the whole width, with a band of ± `spread`. */
export interface LevelLayer extends Named {
  kind: 'level';
  y: number;
  spread?: number | null;
  ink: Ink;
  dash?: readonly number[];
  /** The axis need not reach it: where it does not, its label says on which side it lies. */
  far?: boolean;
}

/** An upright line at an x, with its label. */
export interface MarkLayer extends Named {
  kind: 'mark';
  x: number;
  ink: Ink;
}

export type Layer = LineLayer | DotsLayer | BarsLayer | LevelLayer | MarkLayer;

/** A layer that has points. */
export type PointLayer = LineLayer | DotsLayer | BarsLayer;
export const hasPoints = (layer: Layer): layer is PointLayer => layer.kind !== 'level' && layer.kind !== 'mark';

/** A point of a layer, by their indices. */
export interface Point {
  layer: number;
  index: number;
}

/** Stretches of the axes. */
export interface Extent {
  x: [number, number];
  y: [number, number];
}
