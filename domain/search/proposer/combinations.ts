import type { Random } from '../../statistics/random.ts';

/** The things that change, by position, each with the number of its alternative. */
export type Combination = ReadonlyMap<number, number>;

/**
 * Every choice among things that have so many alternatives each: first those that change one thing, then those that change two,
 * and so on, each once. `random` decides the order within a number of changes. Only the position in that order is held, so that
 * the first of 10^30 choices costs as little as the first of ten.
 */
export function* combinationsOf(sizes: readonly number[], random: Random): Generator<Combination> {
  const ways = waysOf(sizes);
  for (let changes = 1; changes <= sizes.length; changes += 1) {
    const total = ways[0]?.[changes] ?? 0n;
    const stride = strideOf(total);
    let at = (total * BigInt(random.below(2 ** 32))) >> 32n;
    for (let given = 0n; given < total; given += 1n) {
      yield choiceAt(at, { ways, changes });
      at = (at + stride) % total;
    }
  }
}

/** For each position the number of ways to make 0, 1, … changes at this position and later ones. */
function waysOf(sizes: readonly number[]): bigint[][] {
  const none = [1n, ...sizes.map(() => 0n)];
  return sizes.reduceRight<bigint[][]>(
    (ways, size) => {
      const [after = none] = ways;
      return [after.map((kept, changes) => kept + BigInt(size) * (after[changes - 1] ?? 0n)), ...ways];
    },
    [none],
  );
}

/** The choice with that number among all that make so many changes. */
function choiceAt(index: bigint, { ways, changes }: { ways: bigint[][]; changes: number }): Combination {
  const choice = new Map<number, number>();
  let [rest, left] = [index, changes];
  for (let position = 0; left > 0; position += 1) {
    const kept = ways[position + 1]?.[left] ?? 0n;
    if (rest < kept) continue;
    const each = ways[position + 1]?.[left - 1] ?? 1n;
    choice.set(position, Number((rest - kept) / each));
    rest = (rest - kept) % each;
    left -= 1;
  }
  return choice;
}

/** A step near the golden section that comes by every number below `total` once. */
function strideOf(total: bigint): bigint {
  let stride = (total * 618n) / 1000n;
  while (divisorOf(stride, total) > 1n) stride += 1n;
  return stride;
}

const divisorOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisorOf(b, a % b));
