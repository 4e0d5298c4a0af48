import { hrefOf } from '../../router.ts';

/** Parameters of a trial's own page; all others are those of the list that it was opened from. */
const OWN = /^(?:against|diff|curve\.\w+)$/;

/** The parameters of the list, for the way back and for the trials beside this one. */
export const listParams = (params: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...params].filter(([key]) => !OWN.test(key)));

/** The list that a trial was opened from. */
export const listHref = (research: string, params: URLSearchParams): string =>
  hrefOf(['r', research, 'trials'], listParams(params));

/** Another trial, with the same list behind it. */
export const trialHref = (research: string, n: number, params: URLSearchParams): string =>
  hrefOf(['r', research, 'trials', String(n)], listParams(params));
