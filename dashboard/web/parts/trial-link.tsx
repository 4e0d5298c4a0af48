import { hrefOf } from '../router.ts';

/** Address of a trial's page. */
export const hrefOfTrial = (research: string, n: number): string => hrefOf(['r', research, 'trials', String(n)]);

/** Link to a trial, shown as its number. */
export const TrialLink = ({ research, n }: { research: string; n: number }) => (
  <a className="trial-link" href={hrefOfTrial(research, n)}>
    #{n}
  </a>
);
