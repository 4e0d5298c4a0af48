import { hrefOf } from '../router.ts';

/** The place of a trial's page. */
export const hrefOfTrial = (research: string, n: number): string => hrefOf(['r', research, 'trials', String(n)]);

/** A trial by its number. */
export const TrialLink = ({ research, n }: { research: string; n: number }) => (
  <a className="trial-link" href={hrefOfTrial(research, n)}>
    #{n}
  </a>
);
