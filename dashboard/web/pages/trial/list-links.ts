import { hrefOf } from '../../router.ts';

/** Parameters of the page of a trial. All other parameters belong to the list from which it was opened. */
const TRIAL_PARAMS = /^(?:against|diff|curve\.\w+)$/;

/** The parameters of the list, for links back to it and to its other trials. */
export const listParams = (params: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...params].filter(([key]) => !TRIAL_PARAMS.test(key)));

/** Address of the list from which a trial was opened. */
export const listHref = (research: string, params: URLSearchParams): string =>
  hrefOf(['r', research, 'trials'], listParams(params));

/** Address of another trial of the same list. */
export const trialHref = (research: string, n: number, params: URLSearchParams): string =>
  hrefOf(['r', research, 'trials', String(n)], listParams(params));
