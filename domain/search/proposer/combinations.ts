import type { Random } from '../../statistics/random.ts';

/** A choice of changes: the number of the chosen alternative, by the position of the item that changes. */
export type Combination = ReadonlyMap<number, number>;

/**
 * Generates every combination of changes once. `sizes` has the number of alternatives of each item. Combinations that
 * change one item come first, then those that change two, and so on; `random` sets the order among equals. The
 * generator stores only its position in that order, so that the first of 10^30 combinations costs as little as the
 * first of ten.
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

/** Numbers of ways to make 0, 1, … changes at a position and later ones, for each position. */
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

/** The combination number `index` among all with `changes` changes. */
function choiceAt(index: bigint, { ways, changes }: { ways: bigint[][]; changes: number }): Combination {
  const choice = new Map<number, number>();
  let [rest, changesLeft] = [index, changes];
  for (let position = 0; changesLeft > 0; position += 1) {
    const kept = ways[position + 1]?.[changesLeft] ?? 0n;
    if (rest < kept) continue;
    const each = ways[position + 1]?.[changesLeft - 1] ?? 1n;
    choice.set(position, Number((rest - kept) / each));
    rest = (rest - kept) % each;
    changesLeft -= 1;
  }
  return choice;
}

/**
 * Generates every index below `total` once. Consecutive indexes are far apart: each is about .62 of `total` from the
 * last. `skipped`: number of indexes that come at the end instead of the beginning.
 */
export function* indexesOf(total: bigint, skipped: number): Generator<bigint> {
  const stride = strideOf(total);
  const first = BigInt(skipped) % total;
  for (let given = 0n; given < total; given += 1n) yield ((first + given) * stride) % total;
}

/** A step near the golden section of `total` and coprime to it: repeated, it visits every number below `total` once. */
function strideOf(total: bigint): bigint {
  let stride = (total * 618n) / 1000n;
  while (divisorOf(stride, total) > 1n) stride += 1n;
  return stride;
}

const divisorOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisorOf(b, a % b));
