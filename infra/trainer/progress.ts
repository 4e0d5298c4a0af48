/** How far uv is, from the lines that it says. */
export interface Progress {
  /** Bytes by package, of those whose download began. */
  sizes: Map<string, number>;
  done: number;
}

const UNITS: Record<string, number> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Takes a line of uv into account, where it is about a download. */
export function follow(progress: Progress, line: string): void {
  const [, name, size, unit = ''] = /^\s*Downloading (\S+) \(([\d.]+)(\wiB)\)/.exec(line) ?? [];
  if (name !== undefined) progress.sizes.set(name, Number(size) * (UNITS[unit] ?? 1));
  const finished = /^\s*Downloaded (\S+)/.exec(line)?.[1];
  if (finished !== undefined) progress.done += progress.sizes.get(finished) ?? 0;
}

/** Empty where nothing was downloaded. */
export function describeProgress({ sizes, done }: Progress): string {
  const whole = [...sizes.values()].reduce((sum, one) => sum + one, 0);
  const inGb = (bytes: number): string => (bytes / 1e9).toFixed(1);
  return whole === 0 ? '' : `, ${inGb(done)} of ${inGb(whole)} GB downloaded`;
}
