import { hrefOf } from '../../router.ts';

/** Links to both forms of the page: a row for each candidate, or for each run. */
export const PerSwitch = ({ research, per }: { research: string; per: 'candidate' | 'run' }) => (
  <nav className="per small" aria-label="Rows of the table">
    <a href={hrefOf(['r', research, 'trials'])} aria-current={per === 'candidate' ? 'page' : undefined}>
      Candidates
    </a>
    <a href={hrefOf(['r', research, 'trials'], { per: 'run' })} aria-current={per === 'run' ? 'page' : undefined}>
      Runs
    </a>
  </nav>
);
