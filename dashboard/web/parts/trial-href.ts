import { hrefOf } from '../router.ts';

/** The page of a trial by its id, `<research>/<n>`; a research's id may have slashes of its own. */
export function hrefOfTrialId(trialId: string): string {
  const cut = trialId.lastIndexOf('/');
  return hrefOf(['r', trialId.slice(0, cut), 'trials', trialId.slice(cut + 1)]);
}
