import type { Extent } from './layers.ts';

/** A stretch that a person chose: of x, and of y where that was drawn, too. */
export interface Zoom {
  x: Extent['x'];
  y: Extent['y'] | null;
}

/** As the value of a parameter of the address: `120,480` or `120,480,3.1,3.4`. */
export const zoomText = ({ x, y }: Zoom): string =>
  [...x, ...(y ?? [])].map((edge) => Number(edge.toPrecision(7))).join(',');

/** From such a value; null where it is none. */
export function zoomOf(text: string | null): Zoom | null {
  if (text === null || text === '') return null;
  const [x0, x1, y0, y1, ...more] = text.split(',').map(Number);
  if (more.length > 0 || !rises(x0, x1)) return null;
  if (y0 === undefined && y1 === undefined) return { x: [x0 as number, x1 as number], y: null };
  return rises(y0, y1) ? { x: [x0 as number, x1 as number], y: [y0 as number, y1 as number] } : null;
}

const rises = (from: number | undefined, to: number | undefined): boolean =>
  Number.isFinite(from) && Number.isFinite(to) && (from as number) < (to as number);
