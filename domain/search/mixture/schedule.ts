/**
 * The index of the arm whose turn it is after `before` trials. Each arm has a number of trials in turn. An arm without
 * a number, the last one, keeps the turn; otherwise the schedule begins again.
 */
export function turnAfter(before: number, turns: readonly (number | undefined)[]): number {
  const cycle = turns.reduce<number>((sum, trials) => sum + (trials ?? 0), 0);
  let rest = turns.includes(undefined) ? before : before % cycle;
  for (const [index, trials] of turns.entries()) {
    if (trials === undefined || rest < trials) return index;
    rest -= trials;
  }
  return turns.length - 1;
}
