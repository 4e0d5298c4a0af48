/** Lines that a logarithmic axis shows at most. */
const MOST = 8;

/** Ticks of a logarithmic axis: round numbers, 1, 2 and 5 of each power of ten, or steps where the stretch is narrow. */
export function logSplits(min: number, max: number): number[] {
  if (!(min > 0) || !(max > min)) return [];
  const tens = powers(min, max, [1]);
  if (tens.length >= 3) return thin(tens);
  const some = powers(min, max, [1, 2, 5]);
  return some.length >= 3 ? thin(some) : steps(min, max);
}

function powers(min: number, max: number, digits: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(min)); 10 ** power <= max; power++)
    for (const digit of digits) found.push(Number(`${digit}e${power}`));
  return found.filter((tick) => tick >= min && tick <= max);
}

function steps(min: number, max: number): number[] {
  const rough = (max - min) / 4;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * ([1, 2, 5, 10].find((digit) => digit * ten >= rough) ?? 10);
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

const thin = (ticks: number[]): number[] => {
  const every = Math.ceil(ticks.length / MOST);
  return ticks.filter((_, index) => index % every === 0);
};
