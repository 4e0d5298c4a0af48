import type { Extent } from './layers.ts';

/** Ranges that a person zoomed into; `y` null: the range of y fits the data. */
export interface Zoom {
  x: Extent['x'];
  y: Extent['y'] | null;
}

/** Encodes a zoom for the address: `120,480` or `120,480,3.1,3.4`. */
export const zoomText = ({ x, y }: Zoom): string =>
  [...x, ...(y ?? [])].map((edge) => Number(edge.toPrecision(7))).join(',');

/** Decodes a zoom from the address; null if it is absent or invalid. */
export function zoomOf(text: string | null): Zoom | null {
  if (text === null || text === '') return null;
  const [x0, x1, y0, y1, ...more] = text.split(',').map(Number);
  if (more.length > 0 || !rises(x0, x1)) return null;
  if (y0 === undefined && y1 === undefined) return { x: [x0 as number, x1 as number], y: null };
  return rises(y0, y1) ? { x: [x0 as number, x1 as number], y: [y0 as number, y1 as number] } : null;
}

const rises = (low: number | undefined, high: number | undefined): boolean =>
  Number.isFinite(low) && Number.isFinite(high) && (low as number) < (high as number);
