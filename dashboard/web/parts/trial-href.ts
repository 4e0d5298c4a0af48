import { hrefOf } from '../router.ts';

/** Address of a trial's page, from the trial's id `<research>/<n>`. The research's id may have slashes, too. */
export function hrefOfTrialId(trialId: string): string {
  const cut = trialId.lastIndexOf('/');
  return hrefOf(['r', trialId.slice(0, cut), 'trials', trialId.slice(cut + 1)]);
}
