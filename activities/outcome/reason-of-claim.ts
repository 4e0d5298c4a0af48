import type { Advance } from '../../domain/gate/types.ts';

/** The words of the claim that a gate made; one trial may settle several that waited, and the claim is the last of them. */
export function reasonOfClaim({ rulings, claimed }: Pick<Advance, 'rulings' | 'claimed'>): string {
  const keeps = rulings.filter((ruling) => ruling.verdict === 'keep');
  return (keeps.find((ruling) => ruling.n === claimed?.ofTrial) ?? keeps.at(-1))?.reason ?? 'claimed';
}
