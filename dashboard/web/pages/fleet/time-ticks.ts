const MINUTE = 60;
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * MINUTE);

/** Round local times in the `seconds` from `from` on, about `most` of them. `at`: seconds since `from`. */
export function timeTicks(from: Date, seconds: number, most: number): { at: number; words: string }[] {
  const step = STEPS.find((candidate) => seconds / candidate <= most) ?? 24 * 60 * MINUTE;
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  const passed = (from.getTime() - midnight.getTime()) / 1000;
  const ticks: { at: number; words: string }[] = [];
  for (let at = Math.ceil(passed / step) * step; at <= passed + seconds; at += step)
    ticks.push({ at: at - passed, words: clock(new Date(midnight.getTime() + at * 1000)) });
  return ticks;
}

/** Local time of day, such as `14:05`. */
export const clock = (moment: Date): string =>
  `${String(moment.getHours()).padStart(2, '0')}:${String(moment.getMinutes()).padStart(2, '0')}`;
