/** The area into which layers are drawn. Lengths are device pixels, except for `lane`. */
export interface Plot {
  pen: CanvasRenderingContext2D;
  box: { left: number; top: number; width: number; height: number };
  /** Device pixels per CSS pixel. */
  ratio: number;
  toX: (value: number) => number;
  toY: (value: number) => number;
  /** Height of the lane at the bottom for points without a value, in CSS pixels; 0: no lane. */
  lane: number;
  /** Labels of layers and groups that a person hid. */
  hidden: ReadonlySet<string>;
  font: string;
  /** Width of the texts written at either edge so far. */
  written: { top: number; bottom: number };
}
