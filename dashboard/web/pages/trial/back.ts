import { hrefOf } from '../../router.ts';
import { listParams } from './list-params.ts';

/** The list that a trial was opened from. */
export const listHref = (research: string, params: URLSearchParams): string =>
  hrefOf(['r', research, 'trials'], listParams(params));

/** Another trial, with the same list behind it. */
export const trialHref = (research: string, n: number, params: URLSearchParams): string =>
  hrefOf(['r', research, 'trials', String(n)], listParams(params));
