/** The place where layers draw themselves; all in device pixels but for `lane`. */
export interface Plot {
  pen: CanvasRenderingContext2D;
  box: { left: number; top: number; width: number; height: number };
  /** Device pixels in one of CSS. */
  ratio: number;
  toX: (value: number) => number;
  toY: (value: number) => number;
  /** Height of the lane at the bottom for points without a value, in CSS pixels; 0 where there is none. */
  lane: number;
  /** Labels of layers and groups that a person hid. */
  hidden: ReadonlySet<string>;
  font: string;
  /** Width of what is written at either edge so far. */
  written: { top: number; bottom: number };
}
