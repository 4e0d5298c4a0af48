/** One line of a plot; a value that is not finite has no point. */
export interface Line {
  name: string;
  colour: string;
  values: readonly number[];
  dashed?: boolean;
}

export interface Plot {
  title: string;
  /** Positions of the values of the lines on the horizontal axis, 0 to 1. */
  shares: readonly number[];
  lines: readonly Line[];
  /** Marks of the vertical axis; the lowest and the highest are its ends. */
  ticks: readonly { at: number; words: string }[];
  scale?: 'linear' | 'log';
  /** Title of the horizontal axis, and its marks at 0 to 1; by default {@link BUDGET}. */
  axis?: { words: string; marks: readonly { at: number; words: string }[] };
  /** Height of the first name of a line, in pixels from the top. */
  namesAt: number;
}

const BUDGET: Plot['axis'] & object = {
  words: 'share of the budget that was seen',
  marks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, words: `${at * 100} %` })),
};

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 360, 60, 20, 40, 50];

/** The plot as SVG, over a horizontal axis from 0 to 1. */
export function svgOf({ title, shares, lines, ticks, scale = 'linear', axis = BUDGET, namesAt }: Plot): string {
  const along = scale === 'log' ? Math.log : (value: number): number => value;
  const marks = ticks.map(({ at }) => along(at));
  const [low, high] = [Math.min(...marks), Math.max(...marks)];
  const x = (share: number): string => (LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string =>
    (TOP + ((high - along(value)) / (high - low)) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const pathOf = (values: readonly number[]): string =>
    values.flatMap((value, k) => (Number.isFinite(value) ? [`${x(shares[k] ?? 0)},${y(value)}`] : [])).join(' ');
  const text = (at: { x: string; y: string; anchor: string }, words: string, colour = 'black'): string =>
    `<text x="${at.x}" y="${at.y}" text-anchor="${at.anchor}" fill="${colour}">${words}</text>`;
  const middle = x(0.5);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text({ x: middle, y: '20', anchor: 'middle' }, title),
    ...ticks.flatMap(({ at, words }) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(at)}" y2="${y(at)}" stroke="${at === 0 ? '#888' : '#ddd'}"/>`,
      text({ x: String(LEFT - 8), y: String(Number(y(at)) + 4), anchor: 'end' }, words),
    ]),
    ...axis.marks.map(({ at, words }) => text({ x: x(at), y: String(HEIGHT - 28), anchor: 'middle' }, words)),
    text({ x: middle, y: String(HEIGHT - 8), anchor: 'middle' }, axis.words),
    ...lines.flatMap(({ name, colour, values, dashed = false }, i) => [
      `<polyline fill="none" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="6 4"' : ''} ` +
        `points="${pathOf(values)}"/>`,
      text({ x: x(0.48), y: String(namesAt + 16 * i), anchor: 'start' }, name, colour),
    ]),
    '</svg>\n',
  ].join('\n');
}
