import type { Advance } from '../../domain/gate/types.ts';

/**
 * Reason of the claim that a gate made. One trial may settle several waiting candidates; the claim is the last of them.
 */
export function reasonOfClaim({ rulings, claimed }: Pick<Advance, 'rulings' | 'claimed'>): string {
  const keeps = rulings.filter((ruling) => ruling.verdict === 'keep');
  return (keeps.find((ruling) => ruling.n === claimed?.ofTrial) ?? keeps.at(-1))?.reason ?? 'claimed';
}
