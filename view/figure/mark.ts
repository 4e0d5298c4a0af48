/** An element of a drawing: SVG as data. The page makes elements of it, an export makes text of it. */
export interface Mark {
  tag: string;
  attrs: Readonly<Record<string, string | number>>;
  children: readonly (Mark | string)[];
}

export type Attrs = Readonly<Record<string, string | number | undefined>>;

/** An element; attributes that are undefined are left out. */
export function mark(tag: string, attrs: Attrs = {}, ...children: readonly (Mark | string)[]): Mark {
  const given = Object.entries(attrs).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return { tag, attrs: Object.fromEntries(given), children };
}

/** A drawing with its size in CSS pixels and a name for those who do not see it. */
export interface Drawing {
  width: number;
  height: number;
  title: string;
  marks: readonly Mark[];
}

/** A coordinate with one digit after the point: as fine as a screen or a printer needs. */
export const roundCoordinate = (value: number): number => Math.round(value * 10) / 10;
