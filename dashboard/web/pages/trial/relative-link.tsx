import type { Relative } from '../../../api/trials/trial.ts';
import { formatValue } from '../../../../domain/text/format.ts';
import { OUTCOME_WORDS } from '../../parts/outcome/outcome-look.ts';
import { OutcomeSign } from '../../parts/outcome/outcome.tsx';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import { ForeignText } from '../../parts/text.tsx';

/** Characters of an idea on one line. */
const SHOWN = 300;

/** A trial that is named on another one's page: its sign, number, value and idea. */
export function RelativeLink({ trial, href }: { trial: Relative; href: string }) {
  const outcome = outcomeOf(trial);
  return (
    <a className="relative-link" href={href}>
      {outcome ? <OutcomeSign outcome={outcome} /> : <span className="turning" aria-hidden="true" />}
      <span className="number">#{trial.n}</span>
      <span className="unseen">{outcome ? OUTCOME_WORDS[outcome] : 'under way'}</span>
      <span className="number value">{trial.value === null ? '' : formatValue(trial.value)}</span>
      <span className="idea">
        <ForeignText text={trial.hypothesis ?? trial.kind} line max={SHOWN} />
      </span>
    </a>
  );
}
