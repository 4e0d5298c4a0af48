/** An SVG or HTML element as data. The page turns it into DOM elements, an export into text. */
export interface Mark {
  tag: string;
  attrs: Readonly<Record<string, string | number>>;
  children: readonly (Mark | string)[];
}

export type Attrs = Readonly<Record<string, string | number | undefined>>;

/** Creates an element without its undefined attributes. */
export function mark(tag: string, attrs: Attrs = {}, ...children: readonly (Mark | string)[]): Mark {
  const given = Object.entries(attrs).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return { tag, attrs: Object.fromEntries(given), children };
}

/** A drawing, with its size in CSS pixels and a title for people who cannot see it. */
export interface Drawing {
  width: number;
  height: number;
  title: string;
  marks: readonly Mark[];
}

/** Rounds a coordinate to one decimal, which is enough for screens and printers. */
export const roundCoordinate = (value: number): number => Math.round(value * 10) / 10;
