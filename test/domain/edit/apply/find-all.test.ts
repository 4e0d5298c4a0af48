import { expect, it } from 'vitest';
import { findAll, type Found } from '../../../../domain/edit/apply/find-all.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

function slowly(text: string, search: string): Found {
  const places = Array.from(text, (_, at) => at).filter((at) => text.startsWith(search, at));
  return { count: places.length, first: places[0] ?? -1 };
}

it('finds what a look at every place finds, as whole lines and anywhere', () => {
  const random = createRandom(3);
  const draw = (length: number): string => Array.from({ length }, () => 'ab\n'.charAt(random.below(3))).join('');
  for (let round = 0; round < 3000; round += 1) {
    const [text, search] = [draw(random.below(20)), draw(1 + random.below(4))];
    const found = findAll(text, search);
    expect(found.parts).toEqual(slowly(text, search));
    expect(found.lines).toEqual(slowly(`\n${text}\n`, `\n${search}\n`));
  }
});
