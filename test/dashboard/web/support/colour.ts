/** Red, green and blue without gamma, 0 to 1. */
type Rgb = [number, number, number];

export const linearOf = (hex: string): Rgb =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;

const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** Contrast ratio of two colours by WCAG 2, from 1 to 21. */
export function contrast(first: string, second: string): number {
  const [a, b] = [luminance(linearOf(first)), luminance(linearOf(second))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Colours as three kinds of sight see them. Deuteranopia by Viénot, Brettel and Mollon (1999). */
export const SIGHTS: Record<'normal' | 'deuteranopia' | 'achromatopsia', (colour: Rgb) => Rgb> = {
  normal: (colour) => colour,
  deuteranopia: ([r, g, b]) => [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b],
  achromatopsia: (colour) => Array<number>(3).fill(luminance(colour)) as Rgb,
};

/** CIELAB under D65. */
function lab([r, g, b]: Rgb): [number, number, number] {
  const f = (value: number) => (value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Distance of two colours by CIE 1976; about 2.3 is just noticeable side by side. */
export function distance(first: Rgb, second: Rgb): number {
  const [a, b] = [lab(first), lab(second)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
