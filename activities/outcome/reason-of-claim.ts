import { DEMOTED } from '../../domain/gate/gate.ts';
import type { Advance } from '../../domain/gate/types.ts';

/**
 * Reason of the claim that a gate made. One trial may settle several waiting candidates; the claim is the last of them.
 * A predecessor may return without a verdict of its own, because the claim after it is taken back.
 */
export function reasonOfClaim({ rulings, claimed }: Pick<Advance, 'rulings' | 'claimed'>): string {
  const keeps = rulings.filter((ruling) => ruling.verdict === 'keep');
  const kept = keeps.find((ruling) => ruling.n === claimed?.ofTrial) ?? keeps.at(-1);
  if (kept) return kept.reason;
  const demoted = rulings.find(({ reason }) => reason.startsWith(DEMOTED));
  return demoted ? `the claim before it was ${demoted.reason}` : 'claimed';
}
