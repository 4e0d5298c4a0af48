import type { Style } from '../../render/text/style.ts';
import { cut, pad, widthOf } from '../../render/text/text.ts';
import { wrap } from '../../render/text/wrap.ts';

/** Columns of a label. */
export const LABEL = 10;

export interface Row {
  label: string;
  text: string;
  /** What stands for it where it does not fit. */
  short?: string;
}

/** Rows of label and text; what is too long goes on below, as long as there are spare lines for it, and else is cut. */
export function layRows(rows: Row[], options: { columns: number; spare: number; style: Style }): string[] {
  let { spare } = options;
  return rows.flatMap(({ label, text, short }) => {
    const indent = Math.max(LABEL, label.length + 1);
    const room = Math.max(0, options.columns - indent);
    const wrapped = wrap(text, room);
    const isSpare = wrapped.length - 1 <= spare;
    if (isSpare) spare -= wrapped.length - 1;
    const lines = isSpare ? wrapped : [cut(widthOf(text) <= room ? text : (short ?? text), room)];
    return lines.map((line, index) => options.style.dim(pad(index === 0 ? label : '', indent)) + line);
  });
}
